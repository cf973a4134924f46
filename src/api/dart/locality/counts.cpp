#include "api/dart/locality/counts.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace polder::dart {
namespace {

bool same_hardware(const Domain& one, const Domain& two) {
  const auto ones = children_of(one), twos = children_of(two);
  return one.scope == two.scope && one.num_cores == two.num_cores &&
         std::ranges::equal(ones, twos, [](const Domain* a, const Domain* b) { return same_hardware(*a, *b); });
}

void collect_nodes(const Domain& domain, std::set<int>& nodes) {
  if (domain.node_id >= 0) nodes.insert(domain.node_id);
  for (const Domain* child : children_of(domain)) collect_nodes(*child, nodes);
}

}  // namespace

void count_from_children(Domain& domain) {
  const auto children = children_of(domain);
  domain.is_symmetric =
      std::ranges::all_of(children, [&](const Domain* child) { return same_hardware(*children.front(), *child); });
  if (children.empty()) return;
  std::vector<dart_global_unit_t> units;
  for (const Domain* child : children) units.insert(units.end(), units_of(*child).begin(), units_of(*child).end());
  set_units(domain, units);
  domain.num_cores = std::accumulate(children.begin(), children.end(), 0,
                                     [](int sum, const Domain* child) { return sum + child->num_cores; });
  std::set<int> nodes;
  for (const Domain* child : children) collect_nodes(*child, nodes);
  domain.num_nodes = int(nodes.size());
  domain.node_id = nodes.size() == 1 ? *nodes.begin() : -1;
}

void count_upwards(Domain* domain) {
  for (; domain != nullptr; domain = domain->parent) count_from_children(*domain);
}

}  // namespace polder::dart
