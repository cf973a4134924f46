#include "core/group/group_nodes.hpp"

#include "core/engine/engine.hpp"

#include <algorithm>
#include <map>

namespace polder::core {
namespace {

// Equal for members of one node.
std::vector<Rank> node_names(const Engine& engine, std::span<const Rank> ranks) {
  std::vector<Rank> names(ranks.begin(), ranks.end());
  if (!engine.device->is_direct(engine.rank())) return names;
  const bool all_here = std::all_of(ranks.begin(), ranks.end(), [&](Rank r) { return engine.bootstrap->same_node(r); });
  for (Rank& name : names) name = all_here ? ranks.front() : engine.bootstrap->first_beside(name).value_or(name);
  return names;
}

}  // namespace

GroupNodes::GroupNodes(const Engine& engine, std::span<const Rank> ranks, Rank index) {
  const std::vector<Rank> names = node_names(engine, ranks);
  std::map<Rank, Rank> places;
  for (Rank member = 0; member < ranks.size(); ++member) {
    const bool is_first = places.emplace(names[member], Rank(leaders_.size())).second;
    if (is_first) leaders_.push_back(member);
    if (names[member] == names[index]) beside_.push_back(member);
  }
  place_ = places[names[index]];
}

}  // namespace polder::core
