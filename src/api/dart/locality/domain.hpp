// Domains as the interface has them: nodes of a tree, in memory of malloc(), which programs read and change.
#pragma once

#include "api/dart/symbols.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::dart {

using Domain = dart_domain_locality_t;

struct DomainDeleter {
  void operator()(Domain* domain) const;  // with all below it
};
using DomainTree = std::unique_ptr<Domain, DomainDeleter>;

// Throws bad_alloc, as what follows.
DomainTree new_domain();
// With all below it, without its parent and without what groups stand for.
DomainTree copy_of(const Domain& domain);
// Makes `to`, which has nothing below it, what copy_of() returns, but keeps its parent.
void copy_into(Domain& to, const Domain& from);
// Frees what is below, and what the domain lists.
void strip(Domain& domain);

inline std::span<Domain* const> children_of(const Domain& domain) {
  return {domain.children, std::size_t(domain.num_domains)};
}
inline std::span<const dart_global_unit_t> units_of(const Domain& domain) {
  return {domain.unit_ids, std::size_t(domain.num_units)};
}
// Frees the list that was there, and nothing that it points to. Tells the children their parent and their place.
void set_children(Domain& domain, const std::vector<Domain*>& children);
void set_units(Domain& domain, const std::vector<dart_global_unit_t>& units);

std::string_view tag_of(const Domain& domain);
// Cut off where it has no room.
void set_tag(Domain& domain, const std::string& tag);
// Of the child at this place.
std::string child_tag(const Domain& parent, int place);
// Whether a domain of this tag is the other one, or lies below it.
bool is_at_or_below(std::string_view tag, std::string_view other);

// Null: none in this tree has the tag.
Domain* find_domain(Domain& tree, std::string_view tag);
// Those of a scope, depth first. Of caches in caches the outer ones.
void collect_scope(Domain& tree, dart_locality_scope_t scope, std::vector<Domain*>& found);

}  // namespace polder::dart
