#include "api/dart/locality/domain.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace polder::dart {
namespace {

// Null for nothing, as the interface wants it.
template <class T>
T* list_of(std::span<const T> values) {
  if (values.empty()) return nullptr;
  auto* const list = static_cast<T*>(std::malloc(values.size_bytes()));
  if (list == nullptr) throw std::bad_alloc();
  std::copy(values.begin(), values.end(), list);
  return list;
}

}  // namespace

void DomainDeleter::operator()(Domain* domain) const {
  strip(*domain);
  std::free(domain);
}

DomainTree new_domain() {
  DomainTree domain(static_cast<Domain*>(std::calloc(1, sizeof(Domain))));
  if (domain == nullptr) throw std::bad_alloc();
  domain->scope = DART_LOCALITY_SCOPE_UNDEFINED;
  domain->team = DART_TEAM_NULL;
  domain->node_id = domain->shared_mem_bytes = -1;
  set_tag(*domain, ".");
  return domain;
}

void copy_into(Domain& to, const Domain& from) {
  Domain* const parent = to.parent;
  to = from;
  to.parent = parent;
  to.aliases = nullptr;
  to.num_aliases = 0;
  to.children = nullptr;
  to.num_domains = 0;
  to.unit_ids = nullptr;
  to.num_units = 0;
  set_units(to, {units_of(from).begin(), units_of(from).end()});
  std::vector<DomainTree> copies;
  for (const Domain* child : children_of(from)) copies.push_back(copy_of(*child));
  std::vector<Domain*> children(copies.size());
  std::ranges::transform(copies, children.begin(), [](const DomainTree& copy) { return copy.get(); });
  set_children(to, children);
  for (DomainTree& copy : copies) (void)copy.release();
}

DomainTree copy_of(const Domain& domain) {
  DomainTree copy = new_domain();
  copy_into(*copy, domain);
  return copy;
}

void strip(Domain& domain) {
  for (Domain* child : children_of(domain)) DomainDeleter()(child);
  set_children(domain, {});
  set_units(domain, {});
  std::free(domain.aliases);
  domain.aliases = nullptr;
  domain.num_aliases = 0;
}

void set_children(Domain& domain, const std::vector<Domain*>& children) {
  Domain** const list = list_of<Domain*>(children);
  std::free(domain.children);
  domain.children = list;
  domain.num_domains = int(children.size());
  for (int place = 0; place < domain.num_domains; ++place) {
    list[place]->parent = &domain;
    list[place]->relative_index = place;
  }
}

void set_units(Domain& domain, const std::vector<dart_global_unit_t>& units) {
  dart_global_unit_t* const list = list_of<dart_global_unit_t>(units);
  std::free(domain.unit_ids);
  domain.unit_ids = list;
  domain.num_units = int(units.size());
}

std::string_view tag_of(const Domain& domain) {
  return {domain.domain_tag, strnlen(domain.domain_tag, sizeof domain.domain_tag)};
}

void set_tag(Domain& domain, const std::string& tag) {
  std::memset(domain.domain_tag, 0, sizeof domain.domain_tag);
  std::memcpy(domain.domain_tag, tag.data(), std::min(tag.size(), sizeof domain.domain_tag - 1));
}

std::string child_tag(const Domain& parent, int place) {
  const std::string_view tag = tag_of(parent);
  return (tag == "." ? std::string() : std::string(tag)) + "." + std::to_string(place);
}

bool is_at_or_below(std::string_view tag, std::string_view other) {
  if (other == ".") return tag.starts_with('.');
  return tag.starts_with(other) && (tag.size() == other.size() || tag[other.size()] == '.');
}

Domain* find_domain(Domain& tree, std::string_view tag) {
  if (tag_of(tree) == tag) return &tree;
  for (Domain* child : children_of(tree))
    if (Domain* const found = find_domain(*child, tag); found != nullptr) return found;
  return nullptr;
}

void collect_scope(Domain& tree, dart_locality_scope_t scope, std::vector<Domain*>& found) {
  if (tree.scope == scope) {
    found.push_back(&tree);
    return;
  }
  for (Domain* child : children_of(tree)) collect_scope(*child, scope, found);
}

}  // namespace polder::dart
