/* Trees of domains that the program has made or copied. */
#include "check.h"

static dart_domain_locality_t* find(dart_domain_locality_t* tree, const char* tag) {
  dart_domain_locality_t* found = NULL;
  const dart_ret_t code = dart_domain_find(tree, tag, &found);
  CHECK(code == (found == NULL ? DART_ERR_NOTFOUND : DART_OK));
  return found;
}

static dart_domain_locality_t* leaf(dart_locality_scope_t scope, int unit) {
  dart_domain_locality_t* domain;
  SUCCEED(dart_domain_create(&domain));
  domain->scope = scope;
  domain->num_cores = 1;
  domain->num_nodes = 1;
  domain->node_id = 0;
  domain->num_units = 1;
  domain->unit_ids = malloc(sizeof(dart_global_unit_t));
  domain->unit_ids[0].id = unit;
  return domain;
}

/* A node of `packages` packages of `cores` cores, a unit on each. */
static dart_domain_locality_t* machine(int packages, int cores) {
  dart_domain_locality_t* node;
  SUCCEED(dart_domain_create(&node));
  node->scope = DART_LOCALITY_SCOPE_NODE;
  for (int p = 0; p < packages; ++p) {
    dart_domain_locality_t* package;
    SUCCEED(dart_domain_create(&package));
    package->scope = DART_LOCALITY_SCOPE_PACKAGE;
    for (int c = 0; c < cores; ++c)
      SUCCEED(dart_domain_add_subdomain(package, leaf(DART_LOCALITY_SCOPE_CORE, p * cores + c), -1));
    SUCCEED(dart_domain_add_subdomain(node, package, -1));
  }
  return node;
}

static void expect_units(const dart_domain_locality_t* domain, int count, const int units_there[]) {
  CHECK(domain->num_units == count && domain->num_cores == count);
  for (int i = 0; i < count; ++i) CHECK(domain->unit_ids[i].id == units_there[i]);
  CHECK((domain->unit_ids == NULL) == (count == 0));
}

static void trees_are_put_together(void) {
  const int all[] = {0, 1, 2, 3, 4, 5}, more[] = {0, 1, 9, 2, 3, 4, 5}, moved[] = {0, 1, 2, 3, 4, 5, 9};
  dart_domain_locality_t* node = machine(3, 2);
  expect_units(node, 6, all);
  CHECK(node->num_domains == 3 && node->is_symmetric && node->num_nodes == 1 && node->node_id == 0);
  CHECK(find(node, ".2.1")->unit_ids[0].id == 5 && find(node, ".2.1")->level == 2);
  SUCCEED(dart_domain_add_subdomain(find(node, ".0"), leaf(DART_LOCALITY_SCOPE_CORE, 9), 2));
  expect_units(node, 7, more);
  CHECK(!node->is_symmetric && find(node, ".0")->is_symmetric);
  SUCCEED(dart_domain_move_subdomain(find(node, ".0.2"), find(node, ".2"), -1));
  expect_units(node, 7, moved);
  CHECK(find(node, ".0.2") == NULL && find(node, ".2.2")->unit_ids[0].id == 9);
  SUCCEED(dart_domain_move_subdomain(find(node, ".2"), node, 0));
  CHECK(node->children[0]->num_units == 3 && strcmp(node->children[0]->domain_tag, ".0") == 0);
  CHECK(find(node, ".0.2")->unit_ids[0].id == 9);
  REFUSED(dart_domain_move_subdomain(find(node, ".0"), find(node, ".0.1"), 0));
  REFUSED(dart_domain_move_subdomain(node, node, 0));
  REFUSED(dart_domain_add_subdomain(node, find(node, ".1"), 0));
  dart_domain_locality_t* other = leaf(DART_LOCALITY_SCOPE_CORE, 1);
  REFUSED(dart_domain_add_subdomain(node, other, 9));
  SUCCEED(dart_domain_destroy(other));
  SUCCEED(dart_domain_destroy(node));
}

static void expect_equal(const dart_domain_locality_t* one, const dart_domain_locality_t* two) {
  CHECK(one != two && strcmp(one->domain_tag, two->domain_tag) == 0 &&
        memcmp(one->host, two->host, sizeof one->host) == 0);
  CHECK(one->scope == two->scope && one->level == two->level && one->num_cores == two->num_cores &&
        one->num_nodes == two->num_nodes && one->node_id == two->node_id && one->team == two->team &&
        one->global_index == two->global_index && one->relative_index == two->relative_index);
  CHECK(one->num_units == two->num_units && one->num_domains == two->num_domains);
  for (int i = 0; i < one->num_units; ++i) CHECK(one->unit_ids[i].id == two->unit_ids[i].id);
  for (int i = 0; i < one->num_domains; ++i) {
    CHECK(two->children[i]->parent == two);
    expect_equal(one->children[i], two->children[i]);
  }
}

static void copies_are_equal(void) {
  dart_domain_locality_t *root, *clone, *other = machine(1, 1);
  SUCCEED(dart_domain_team_locality(DART_TEAM_ALL, ".", &root));
  SUCCEED(dart_domain_clone(root, &clone));
  expect_equal(root, clone);
  SUCCEED(dart_domain_assign(other, clone));
  SUCCEED(dart_domain_destroy(clone));
  expect_equal(root, other);
  SUCCEED(dart_domain_assign(other, other->children[0])); /* what lies below it */
  expect_equal(root->children[0], other);
  SUCCEED(dart_domain_destroy(other));
}

static void selected_and_excluded(void) {
  const int some[] = {1, 4, 5}, rest[] = {4};
  const char* wanted[] = {".0.1", ".2"};
  const char* unwanted[] = {".0", ".2.1"};
  dart_domain_locality_t* node = machine(3, 2);
  SUCCEED(dart_domain_select(node, 2, wanted));
  expect_units(node, 3, some);
  CHECK(node->num_domains == 2 && find(node, ".1") == NULL && find(node, ".0.0") == NULL);
  CHECK(find(node, ".2.1") != NULL && find(node, ".2")->relative_index == 1);
  SUCCEED(dart_domain_exclude(node, 2, unwanted));
  expect_units(node, 1, rest);
  CHECK(find(node, ".0") == NULL && find(node, ".2.1") == NULL);
  SUCCEED(dart_domain_exclude(node, 1, wanted + 1));
  expect_units(node, 0, NULL);
  CHECK(node->children == NULL && node->num_domains == 0);
  REFUSED(dart_domain_select(node, 0, wanted));
  REFUSED(dart_domain_exclude(node, 1, NULL));
  SUCCEED(dart_domain_destroy(node));
  node = machine(11, 1); /* ".1" is not the beginning of ".10" */
  unwanted[0] = ".1";
  SUCCEED(dart_domain_exclude(node, 1, unwanted));
  CHECK(node->num_units == 10 && find(node, ".10.0") != NULL);
  SUCCEED(dart_domain_destroy(node));
}

static void found_by_scope(void) {
  dart_domain_locality_t *node = machine(2, 3), **domains = NULL;
  char** tags = NULL;
  int count = 0;
  SUCCEED(dart_domain_scope_domains(node, DART_LOCALITY_SCOPE_CORE, &count, &domains));
  CHECK(count == 6);
  for (int i = 0; i < count; ++i) CHECK(domains[i]->unit_ids[0].id == i);
  free(domains);
  SUCCEED(dart_domain_scope_tags(node, DART_LOCALITY_SCOPE_PACKAGE, &count, &tags));
  CHECK(count == 2 && strcmp(tags[0], ".0") == 0 && strcmp(tags[1], ".1") == 0);
  for (int i = 0; i < count; ++i) free(tags[i]);
  free(tags);
  EXPECT(DART_ERR_NOTFOUND, dart_domain_scope_domains(node, DART_LOCALITY_SCOPE_NUMA, &count, &domains));
  CHECK(count == 0 && domains == NULL);
  EXPECT(DART_ERR_NOTFOUND, dart_domain_scope_tags(node, DART_LOCALITY_SCOPE_NUMA, &count, &tags));
  CHECK(count == 0 && tags == NULL);
  SUCCEED(dart_domain_destroy(node));
}

static void split_in_shares(void) {
  const int shares[3][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}};
  dart_domain_locality_t *node = machine(5, 2), *parts[3], split[3];
  SUCCEED(dart_domain_split_scope(node, DART_LOCALITY_SCOPE_PACKAGE, 3, split));
  for (int i = 0; i < 3; ++i) {
    expect_units(&split[i], i < 2 ? 4 : 2, shares[i]);
    CHECK(split[i].parent == NULL && split[i].children[0]->parent == &split[i]);
    SUCCEED(dart_domain_clone(&split[i], &parts[i]));
    expect_equal(&split[i], parts[i]);
    SUCCEED(dart_domain_destroy(parts[i]));
    /* The element itself is the caller's: what it holds goes with an empty domain's content. */
    SUCCEED(dart_domain_create(&parts[i]));
    SUCCEED(dart_domain_assign(&split[i], parts[i]));
    SUCCEED(dart_domain_destroy(parts[i]));
  }
  be_quiet(1);
  EXPECT(DART_ERR_NOTFOUND, dart_domain_split_scope(node, DART_LOCALITY_SCOPE_NUMA, 3, split));
  be_quiet(0);
  REFUSED(dart_domain_split_scope(node, DART_LOCALITY_SCOPE_PACKAGE, 0, split));
  SUCCEED(dart_domain_destroy(node));
}

static void grouped(void) {
  const int rest[] = {1, 2, 3, 0, 4, 5}, together[] = {0, 4, 5};
  const char *tags[] = {".0.0", ".2"}, *cores[] = {".1.0", ".1.1"}, *nested[] = {".1", ".1.2"}, *absent[] = {".9"},
             *root[] = {"."};
  char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
  dart_domain_locality_t* node = machine(3, 2);
  SUCCEED(dart_domain_group(node, 2, tags, tag));
  CHECK(strcmp(tag, ".3") == 0);
  dart_domain_locality_t* group = find(node, tag);
  CHECK(group->scope == DART_LOCALITY_SCOPE_GROUP && group->num_domains == 2 && group->relative_index == 2);
  expect_units(group, 3, together);
  expect_units(node, 6, rest);
  CHECK(find(node, ".2") == NULL && find(node, ".3.1.1")->unit_ids[0].id == 5);
  SUCCEED(dart_domain_group(node, 2, cores, tag)); /* all below a package: it stays, with the group only */
  CHECK(strcmp(tag, ".1.2") == 0 && find(node, ".1")->num_domains == 1 && find(node, ".1")->num_units == 2);
  REFUSED(dart_domain_group(node, 2, nested, tag));
  REFUSED(dart_domain_group(node, 0, tags, tag));
  REFUSED(dart_domain_group(node, 1, root, tag));
  be_quiet(1);
  EXPECT(DART_ERR_NOTFOUND, dart_domain_group(node, 1, absent, tag));
  be_quiet(0);
  CHECK(tag[0] == '\0');
  SUCCEED(dart_domain_destroy(node));
}

void test_domains(void) {
  trees_are_put_together();
  copies_are_equal();
  selected_and_excluded();
  found_by_scope();
  split_in_shares();
  grouped();
}
