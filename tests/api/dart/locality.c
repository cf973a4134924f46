/* Where units run: the tree of each team, and groups by it. */
#include "check.h"

#include <unistd.h>

static dart_domain_locality_t* root_of(dart_team_t team) {
  dart_domain_locality_t* root = NULL;
  SUCCEED(dart_domain_team_locality(team, ".", &root));
  return root;
}

/* Every domain holds the units of those below it, and knows its place. */
static void expect_in_order(const dart_domain_locality_t* domain) {
  int units_below = 0;
  CHECK((domain->children == NULL) == (domain->num_domains == 0));
  CHECK((domain->unit_ids == NULL) == (domain->num_units == 0));
  CHECK(domain->num_units > 0 && domain->num_cores > 0 && domain->num_nodes > 0);
  for (int i = 0; i < domain->num_domains; ++i) {
    const dart_domain_locality_t* const child = domain->children[i];
    char tag[64];
    snprintf(tag, sizeof tag, "%s.%d", domain->parent == NULL ? "" : domain->domain_tag, i);
    CHECK(strcmp(child->domain_tag, tag) == 0);
    CHECK(child->parent == domain && child->relative_index == i && child->level == domain->level + 1);
    CHECK(child->team == domain->team);
    units_below += child->num_units;
    expect_in_order(child);
  }
  CHECK(domain->num_domains == 0 || units_below == domain->num_units);
}

static void the_tree_of_all(void) {
  char host[65] = {0};
  dart_domain_locality_t *root = root_of(DART_TEAM_ALL), *found = NULL;
  CHECK(root->scope == DART_LOCALITY_SCOPE_GLOBAL && root->level == 0 && root->parent == NULL && root->host[0] == '\0');
  CHECK(root->num_units == units());
  expect_in_order(root);
  CHECK(root->num_domains == 1); /* all are on this machine */
  CHECK(root->num_nodes == 1 && root->node_id == 0);
  const dart_domain_locality_t *const node = root->children[0], *const module = node->children[0];
  CHECK(node->scope == DART_LOCALITY_SCOPE_NODE && module->scope == DART_LOCALITY_SCOPE_MODULE);
  gethostname(host, 64);
  CHECK(strncmp(node->host, host, 64) == 0 && strncmp(module->host, host, 64) == 0);
  SUCCEED(dart_domain_team_locality(DART_TEAM_ALL, ".0.0", &found));
  CHECK(found == module);
  EXPECT(DART_ERR_NOTFOUND, dart_domain_team_locality(DART_TEAM_ALL, ".7", &found));
  CHECK(found == NULL);
}

static int holds(const dart_domain_locality_t* domain, int unit) {
  for (int i = 0; i < domain->num_units; ++i)
    if (domain->unit_ids[i].id == unit) return 1;
  return 0;
}

static void each_unit_runs_on_a_core(dart_team_t team) {
  for (int unit = 0; unit < team_size(team); ++unit) {
    dart_unit_locality_t* place = NULL;
    dart_domain_locality_t* domain = NULL;
    dart_global_unit_t global;
    SUCCEED(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID(unit), &global));
    SUCCEED(dart_unit_locality(team, DART_TEAM_UNIT_ID(unit), &place));
    CHECK(place->unit.id == unit && place->team == team);
    const dart_hwinfo_t* const info = &place->hwinfo;
    CHECK(info->num_cores > 0 && info->num_numa != 0 && info->num_sockets != 0 && info->min_threads != 0);
    CHECK(info->max_threads >= info->min_threads && info->system_memory_bytes != 0);
    CHECK(info->num_scopes >= 1 && info->scopes[0].scope == DART_LOCALITY_SCOPE_CORE);
    SUCCEED(dart_domain_team_locality(team, place->domain_tag, &domain));
    CHECK(domain->scope == DART_LOCALITY_SCOPE_CORE && domain->level > 2 && domain->num_domains == 0);
    CHECK(holds(domain, global.id));
    CHECK(info->num_cores <= domain->num_cores);
  }
}

/* Equal at all members, to the byte. */
static void all_see_the_same(void) {
  const size_t bytes = sizeof(dart_unit_locality_t);
  char *mine = malloc(bytes), *first = malloc(bytes);
  for (int unit = 0; unit < units(); ++unit) {
    dart_unit_locality_t* place;
    SUCCEED(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &place));
    memcpy(mine, place, bytes);
    memcpy(first, place, bytes);
    SUCCEED(dart_bcast(first, bytes, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    CHECK(memcmp(first, mine, bytes) == 0);
  }
  free(first);
  free(mine);
}

static void trees_of_other_teams(void) {
  dart_team_t team = team_of(DART_TEAM_ALL, me() % 2, 2);
  dart_domain_locality_t* root = NULL;
  REFUSED(dart_domain_team_locality(team, ".", &root));
  CHECK(root == NULL);
  SUCCEED(dart_team_locality_init(team));
  root = root_of(team);
  CHECK(root->num_units == team_size(team) && root->team == team);
  for (int i = 0; i < root->num_units; ++i) CHECK(root->unit_ids[i].id % 2 == me() % 2);
  expect_in_order(root);
  each_unit_runs_on_a_core(team);
  SUCCEED(dart_team_locality_finalize(team));
  REFUSED(dart_domain_team_locality(team, ".", &root));
  SUCCEED(dart_team_destroy(&team));
}

/* The groups together have each unit once. */
static void split_by(dart_locality_scope_t scope, size_t parts, size_t domains) {
  dart_group_t all, group[64] = {NULL};
  size_t made = 77, members = 0;
  SUCCEED(dart_team_get_group(DART_TEAM_ALL, &all));
  SUCCEED(dart_group_locality_split(all, root_of(DART_TEAM_ALL), scope, parts, &made, group));
  CHECK(made == (parts < domains ? parts : domains));
  for (size_t i = 0; i < made; ++i) {
    size_t size = 0;
    if (group[i] != DART_GROUP_NULL) SUCCEED(dart_group_size(group[i], &size));
    members += size;
    SUCCEED(dart_group_destroy(&group[i]));
  }
  CHECK(members == (size_t)units());
  SUCCEED(dart_group_destroy(&all));
}

static void groups_by_the_tree(void) {
  dart_domain_locality_t* root = root_of(DART_TEAM_ALL);
  dart_domain_locality_t** cores = NULL;
  dart_group_t all, part;
  size_t made = 7;
  int num_cores = 0;
  SUCCEED(dart_domain_scope_domains(root, DART_LOCALITY_SCOPE_CORE, &num_cores, &cores));
  free(cores);
  split_by(DART_LOCALITY_SCOPE_NODE, 4, 1);
  split_by(DART_LOCALITY_SCOPE_CORE, 64, (size_t)num_cores);
  split_by(DART_LOCALITY_SCOPE_CORE, 1, (size_t)num_cores);
  SUCCEED(dart_team_get_group(DART_TEAM_ALL, &all));
  REFUSED(dart_group_locality_split(all, root, DART_LOCALITY_SCOPE_NODE, 0, &made, &part));
  REFUSED(dart_group_locality_split(all, root, DART_LOCALITY_SCOPE_NETWORK, 1, &made, &part));
  REFUSED(dart_group_locality_split(DART_GROUP_NULL, root, DART_LOCALITY_SCOPE_NODE, 1, &made, &part));
  SUCCEED(dart_group_destroy(&all));
}

void test_locality(void) {
  dart_unit_locality_t* place = (dart_unit_locality_t*)&place;
  the_tree_of_all();
  each_unit_runs_on_a_core(DART_TEAM_ALL);
  all_see_the_same();
  trees_of_other_teams();
  groups_by_the_tree();
  REFUSED(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(units()), &place));
  CHECK(place == NULL);
  REFUSED(dart_team_locality_init(99));
  REFUSED(dart_team_locality_finalize(99));
}
