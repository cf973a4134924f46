#include "topology/dragonfly.hpp"
#include "topology/machine_split.hpp"

#include <algorithm>
#include <optional>

namespace polder {
namespace {

// What each cable carries: of a torus, dimension by dimension the short way; of a dragonfly, its one shortest way; of a tree,
// in and out of each branch.
class CableLoads {
 public:
  explicit CableLoads(const Topology& topology)
      : topology_(topology), spec_(topology.spec()), branch_(spec_.coordinates.size()) {
    const std::vector<Rank> units = topology::sorted_units(topology);
    for (std::size_t i = 0; i < units.size(); ++i) number(units, i);
    loads_.assign(2 * std::size_t{branches_}, 0);
    std::size_t nodes = 1;
    for (const std::uint32_t extent : spec_.torus) nodes *= extent;
    ring_.assign(spec_.torus.empty() ? 0 : nodes * spec_.torus.size() * 2, 0);
    if (spec_.dragonfly.empty()) return;
    dragonfly_.emplace(spec_.dragonfly);
    direct_.assign(dragonfly_->links(), 0);
  }

  void carry(Rank from, Rank to, double bytes) {
    const std::size_t level = topology_.parting(from, to);
    if (level < spec_.torus.size()) return go_round(from, to, bytes);
    if (level < spec_.dragonfly.size()) return go_direct(node(from), node(to), bytes);
    for (std::size_t l = level; l < spec_.network_levels; ++l) {
      loads_[2 * branch(from, l)] += bytes / spec_.levels[l].links;
      loads_[2 * branch(to, l) + 1] += bytes / spec_.levels[l].links;
    }
  }

  double busiest() const {
    double most = 0;
    for (const double load : loads_) most = std::max(most, load);
    for (const double load : ring_) most = std::max(most, load);
    for (const double load : direct_) most = std::max(most, load);
    return most;
  }

 private:
  void number(const std::vector<Rank>& units, std::size_t i) {
    const std::size_t shared = i == 0 ? 0 : topology_.parting(units[i - 1], units[i]);
    for (std::size_t l = 0; l < spec_.levels.size(); ++l)
      branch_[units[i] * spec_.levels.size() + l] =
          l < shared ? branch_[units[i - 1] * spec_.levels.size() + l] : branches_++;
  }

  std::size_t branch(Rank unit, std::size_t level) const { return branch_[unit * spec_.levels.size() + level]; }

  void go_round(Rank from, Rank to, double bytes) {
    std::vector<std::uint32_t> at(topology_.at(from).begin(), topology_.at(from).end());
    for (std::size_t d = 0; d < spec_.torus.size(); ++d) {
      const std::uint32_t extent = spec_.torus[d], goal = topology_.at(to)[d];
      const bool up = (goal + extent - at[d]) % extent <= extent / 2;
      for (; at[d] != goal; at[d] = (at[d] + (up ? 1 : extent - 1)) % extent) {
        std::size_t node = 0;
        for (std::size_t i = 0; i < spec_.torus.size(); ++i) node = node * spec_.torus[i] + at[i];
        ring_[(node * spec_.torus.size() + d) * 2 + std::size_t(up)] += bytes / spec_.levels[d].links;
      }
    }
  }

  std::uint32_t node(Rank unit) const {
    const auto at = topology_.at(unit);
    return dragonfly_->node(at[0], at[1], at[2]);
  }
  void go_direct(std::uint32_t at, std::uint32_t goal, double bytes) {
    while (at != goal) {
      const auto step = dragonfly_->next(at, goal);
      direct_[step.link] += bytes;
      at = step.to;
    }
  }

  const Topology& topology_;
  const TopologySpec& spec_;
  std::optional<topology::Dragonfly> dragonfly_;
  std::vector<std::uint32_t> branch_;  // by unit and level: the number of the branch that the unit is in
  std::uint32_t branches_ = 0;
  std::vector<double> loads_, ring_, direct_;
};

Status check_order(std::span<const Rank> order, Rank units) {
  std::vector<bool> seen(units);
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (order[place] >= units || seen[order[place]])
      return {Code::invalid_argument,
              "mapping: place " + std::to_string(place) + " has unit " + std::to_string(order[place]) +
                  (order[place] < units ? " again" : ", and there are " + std::to_string(units))};
    seen[order[place]] = true;
  }
  return {};
}

}  // namespace

Result<MappingCost> mapping_cost(const CommunicationPattern& pattern, const Topology& topology,
                                 std::span<const Rank> order) {
  if (pattern.begin.empty() || pattern.places() != topology.units() || order.size() != topology.units())
    return Status(Code::invalid_argument, "mapping: an order of " + std::to_string(order.size()) + " for " +
                                              std::to_string(topology.units()) +
                                              " units, or a pattern of other places");
  if (Status status = check_order(order, topology.units()); !status.ok()) return status;
  MappingCost cost;
  cost.parted.assign(topology.spec().levels.size() + 1, 0);
  CableLoads loads(topology);
  for (Rank place = 0; place < pattern.places(); ++place)
    for (std::size_t e = pattern.begin[place]; e < pattern.begin[place + 1]; ++e) {
      const Rank from = order[place], to = order[pattern.neighbour[e]];
      const double half = pattern.weight[e] / 2;  // each pair is met from both sides
      cost.hop_bytes += half * topology.distance(from, to);
      cost.parted[topology.parting(from, to)] += half;
      loads.carry(from, to, half);
    }
  cost.busiest = loads.busiest();
  return cost;
}

}  // namespace polder
