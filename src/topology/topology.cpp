#include <polder/topology.hpp>

#include <algorithm>

namespace polder {
namespace {

Status wrong_topology(const std::string& what) {
  return {Code::invalid_argument, "topology: " + what};
}

constexpr std::uint64_t kMostPlaces = 4'000'000, kMostCables = 64'000'000;

// What mapping_cost() keeps is a load of each cable, whether a unit is near it or not.
bool is_of_bearable_size(const TopologySpec& spec) {
  std::uint64_t nodes = 1;
  for (const std::uint32_t extent : spec.torus.empty() ? spec.dragonfly : spec.torus)
    if (__builtin_mul_overflow(nodes, extent, &nodes)) return false;
  if (nodes > kMostPlaces || spec.dragonfly.empty()) return nodes <= kMostPlaces;
  const std::uint64_t groups = spec.dragonfly[0], routers = spec.dragonfly[1];
  return routers <= kMostCables && groups * routers <= kMostCables / std::max<std::uint64_t>(routers, 1) &&
         groups <= kMostCables / std::max<std::uint64_t>(groups, 1);
}

}  // namespace

Result<Topology> Topology::create(TopologySpec spec) {
  const std::size_t levels = spec.levels.size();
  if (levels == 0) return wrong_topology("it has no level");
  if (spec.coordinates.empty() || spec.coordinates.size() % levels != 0)
    return wrong_topology(std::to_string(spec.coordinates.size()) + " coordinates for " + std::to_string(levels) +
                          " levels");
  if (spec.network_levels > levels || spec.torus.size() > spec.network_levels)
    return wrong_topology("more network levels or dimensions of a torus than levels");
  if (!spec.dragonfly.empty() && (spec.dragonfly.size() != 3 || spec.network_levels != 3 || !spec.torus.empty()))
    return wrong_topology("a dragonfly has groups, routers and nodes, the only levels of its network");
  const std::vector<std::uint32_t>& extents = spec.torus.empty() ? spec.dragonfly : spec.torus;
  if (!is_of_bearable_size(spec))
    return wrong_topology("a torus or dragonfly of more than 4,000,000 nodes, or of more than 64,000,000 cables");
  for (std::size_t i = 0; i < spec.coordinates.size(); ++i) {
    const std::size_t level = i % levels;
    if (level < extents.size() && spec.coordinates[i] >= extents[level])
      return wrong_topology("unit " + std::to_string(i / levels) + " is at " + std::to_string(spec.coordinates[i]) +
                            " of '" + spec.levels[level].name + "', which has an extent of " +
                            std::to_string(extents[level]));
  }
  for (const MachineLevel& level : spec.levels)
    if (!(level.distance >= 0) || !(level.links > 0))
      return wrong_topology("level '" + level.name + "' needs a distance of at least 0 and links");
  return Topology(std::move(spec));
}

std::size_t Topology::parting(Rank one, Rank two) const {
  const auto here = at(one), there = at(two);
  return std::size_t(std::mismatch(here.begin(), here.end(), there.begin()).first - here.begin());
}

double Topology::distance(Rank one, Rank two) const {
  const std::size_t level = parting(one, two);
  if (level == spec_.levels.size()) return 0;
  if (level >= spec_.torus.size()) return spec_.levels[level].distance;
  double hops = 0;
  for (std::size_t d = level; d < spec_.torus.size(); ++d) {
    const std::uint32_t here = at(one)[d], there = at(two)[d], direct = here < there ? there - here : here - there;
    hops += std::min(direct, spec_.torus[d] - direct) * spec_.levels[d].distance;
  }
  return hops;
}

}  // namespace polder
