#include "topology/machine_split.hpp"

#include <algorithm>
#include <numeric>

namespace polder::topology {
namespace {

// Where `level` changes, next to the middle; 0: nowhere.
std::size_t middle_change(const Topology& topology, std::span<const Rank> units, std::size_t level) {
  const std::size_t middle = units.size() / 2;
  const auto changes = [&](std::size_t i) { return topology.at(units[i - 1])[level] != topology.at(units[i])[level]; };
  for (std::size_t away = 0; away <= middle; ++away) {
    if (middle > away && changes(middle - away)) return middle - away;
    if (middle + away > 0 && middle + away < units.size() && changes(middle + away)) return middle + away;
  }
  return 0;
}

// Sorts by the widest dimension of the torus. False: all units are at one place of it.
bool sort_by_widest(const Topology& topology, std::span<Rank> units, std::size_t& widest) {
  std::uint32_t width = 0;
  for (std::size_t d = 0; d < topology.spec().torus.size(); ++d) {
    const auto [low, high] = std::minmax_element(units.begin(), units.end(),
                                                 [&](Rank a, Rank b) { return topology.at(a)[d] < topology.at(b)[d]; });
    if (const std::uint32_t here = topology.at(*high)[d] - topology.at(*low)[d]; here > width) width = here, widest = d;
  }
  if (width == 0) return false;
  std::stable_sort(units.begin(), units.end(),
                   [&](Rank a, Rank b) { return topology.at(a)[widest] < topology.at(b)[widest]; });
  return true;
}

}  // namespace

std::vector<Rank> sorted_units(const Topology& topology) {
  std::vector<Rank> units(topology.units());
  std::iota(units.begin(), units.end(), Rank{0});
  std::stable_sort(units.begin(), units.end(), [&](Rank a, Rank b) {
    return std::ranges::lexicographical_compare(topology.at(a), topology.at(b));
  });
  return units;
}

std::size_t split_machine(const Topology& topology, std::span<Rank> units) {
  if (units.size() < 2) return 0;
  std::size_t level = 0;
  if (!sort_by_widest(topology, units, level)) {
    // Those in the first and the last place part furthest out, since units are sorted.
    level = topology.parting(units.front(), units.back());
    if (level == topology.spec().levels.size()) return 0;
  }
  return middle_change(topology, units, level);
}

}  // namespace polder::topology
