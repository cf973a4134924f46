#include "api/dart/locality/edit.hpp"

#include "api/dart/locality/counts.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace polder::dart {
namespace {

std::vector<Domain*> list_of_children(const Domain& domain) {
  return {children_of(domain).begin(), children_of(domain).end()};
}

// True: something below went. A domain of which all went has no units any more.
template <class Goes>
bool prune(Domain& domain, const Goes& goes) {
  std::vector<Domain*> kept;
  bool changed = false;
  for (Domain* child : children_of(domain)) {
    if (goes(tag_of(*child))) {
      DomainDeleter()(child);
      changed = true;
      continue;
    }
    changed = prune(*child, goes) || changed;
    kept.push_back(child);
  }
  if (!changed) return false;
  set_children(domain, kept);
  count_from_children(domain);
  if (!kept.empty()) return true;
  set_units(domain, {});
  domain.num_cores = 0;
  return true;
}

void renumber(Domain& domain, const std::string& tag, int level) {
  set_tag(domain, tag);
  domain.level = level;
  for (int place = 0; place < domain.num_domains; ++place)
    renumber(*domain.children[place], child_tag(domain, place), level + 1);
}

void renumber_children(Domain& domain) {
  for (int place = 0; place < domain.num_domains; ++place)
    renumber(*domain.children[place], child_tag(domain, place), domain.level + 1);
}

void take_out(Domain& domain) {
  auto siblings = list_of_children(*domain.parent);
  std::erase(siblings, &domain);
  set_children(*domain.parent, siblings);
}

bool is_below(const Domain* domain, const Domain& other) {
  while (domain != nullptr && domain != &other) domain = domain->parent;
  return domain != nullptr;
}

Status no_place(int place, const Domain& domain) {
  return {Code::invalid_argument, "place " + std::to_string(place) + " among the " +
                                      std::to_string(domain.num_domains) + " domains below " +
                                      std::string(tag_of(domain))};
}

// The domains of the tags. None is another's ancestor, and none is the root.
Result<std::vector<Domain*>> apart(Domain& tree, DomainTags tags) {
  std::vector<Domain*> found;
  for (const std::string_view tag : tags) {
    Domain* const domain = find_domain(tree, tag);
    if (domain == nullptr) return Status(Code::invalid_segment, "there is no domain " + std::string(tag));
    if (domain == &tree) return Status(Code::invalid_argument, "the domain " + std::string(tag) + " is the root");
    for (const Domain* other : found)
      if (is_below(domain, *other) || is_below(other, *domain))
        return Status(Code::invalid_argument,
                      "the domains " + std::string(tag) + " and " + std::string(tag_of(*other)) + " are not apart");
    found.push_back(domain);
  }
  return found;
}

Domain& lowest_above(const std::vector<Domain*>& members) {
  Domain* common = members.front()->parent;
  while (!std::ranges::all_of(members, [&](const Domain* member) { return is_below(member, *common); }))
    common = common->parent;
  return *common;
}

// The tag of a new last child, behind all numbers that siblings have: some may have gone without the others being renumbered.
std::string next_child_tag(const Domain& parent) {
  int last = -1;
  for (const Domain* child : children_of(parent)) {
    const std::string tag(tag_of(*child));
    last = std::max(last, std::atoi(tag.c_str() + tag.rfind('.') + 1));
  }
  return child_tag(parent, last + 1);
}

// And all above it that have nothing below them then, up to `common`. The domain that stays.
Domain* take_out_with_empty_ones(Domain& domain, const Domain& common, std::set<Domain*>& changed) {
  Domain* parent = domain.parent;
  take_out(domain);
  while (parent != &common && parent->num_domains == 0) {
    Domain* const empty = parent;
    parent = empty->parent;
    take_out(*empty);
    changed.erase(empty);
    DomainDeleter()(empty);
  }
  return parent;
}

}  // namespace

void select_domains(Domain& tree, DomainTags tags) {
  prune(tree, [&](std::string_view tag) {
    return std::ranges::none_of(
        tags, [&](std::string_view wanted) { return is_at_or_below(tag, wanted) || is_at_or_below(wanted, tag); });
  });
}

void exclude_domains(Domain& tree, DomainTags tags) {
  prune(tree, [&](std::string_view tag) {
    return std::ranges::any_of(tags, [&](std::string_view unwanted) { return is_at_or_below(tag, unwanted); });
  });
}

Status add_domain(Domain& domain, DomainTree& tree, int place) {
  if (place < -1 || place > domain.num_domains) return no_place(place, domain);
  auto children = list_of_children(domain);
  children.insert(place < 0 ? children.end() : children.begin() + place, tree.get());
  set_children(domain, children);
  (void)tree.release();
  renumber_children(domain);
  count_upwards(&domain);
  return {};
}

Status move_domain(Domain& domain, Domain& new_parent, int place) {
  Domain* const old_parent = domain.parent;
  if (old_parent == nullptr) return {Code::invalid_argument, "the root cannot be moved"};
  if (is_below(&new_parent, domain))
    return {Code::invalid_argument, "domain " + std::string(tag_of(new_parent)) + " lies below the one that is moved"};
  const int room = new_parent.num_domains - (old_parent == &new_parent ? 1 : 0);
  if (place < -1 || place > room) return no_place(place, new_parent);
  take_out(domain);
  DomainTree moved(&domain);
  const Status status = add_domain(new_parent, moved, place);
  renumber_children(*old_parent);
  if (old_parent->num_domains == 0) {
    set_units(*old_parent, {});
    old_parent->num_cores = 0;
  }
  count_upwards(old_parent);
  return status;
}

Result<std::string> group_domains(Domain& tree, DomainTags tags) {
  const auto members = apart(tree, tags);
  if (!members.ok()) return members.status();
  Domain& common = lowest_above(*members);
  DomainTree group = new_domain();
  group->scope = DART_LOCALITY_SCOPE_GROUP;
  group->team = common.team;
  std::memcpy(group->host, common.host, sizeof group->host);
  const std::string tag = next_child_tag(common);
  std::set<Domain*> changed;
  for (Domain* member : *members) changed.insert(take_out_with_empty_ones(*member, common, changed));
  set_children(*group, *members);
  count_from_children(*group);
  auto children = list_of_children(common);
  group->global_index = int(std::ranges::count(children, DART_LOCALITY_SCOPE_GROUP, &Domain::scope));
  children.push_back(group.get());
  set_children(common, children);
  renumber(*group.release(), tag, common.level + 1);
  for (Domain* domain : changed) count_upwards(domain);
  return tag;
}

}  // namespace polder::dart
