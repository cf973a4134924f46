#include "topology/machine_split.hpp"
#include "topology/node_tiles.hpp"
#include "topology/pattern_split.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <numeric>

namespace polder {
namespace {

// Looks at exchanges of two units, all together: what 100,000 units can afford in a fraction of a second.
constexpr std::size_t kMostLooks = 1'000'000;
constexpr Rank kAllPairs =
    64;  // units of which any two may change places, not only those that talk to one another's neighbours
constexpr int kStarts = 64;         // of searches where all pairs are looked at
constexpr Rank kBothWays = 20'000;  // places up to which there is time for the way with tiles and the one without

class Mapper {
 public:
  Mapper(const CommunicationPattern& pattern, const Topology& topology)
      : pattern_(pattern), topology_(topology), split_(pattern), unit_at_(pattern.places()) {}

  void run() {
    std::vector<Rank> units = topology::sorted_units(topology_), places(units.size());
    std::iota(places.begin(), places.end(), Rank{0});
    divide(places, units);
    improve_all();
    if (pattern_.places() <= kAllPairs) start_again();
  }

  // With a tile of places on each node: what is left is which tile goes where, and the order inside.
  void run_tiled(topology::NodeTiles& tiled) {
    Mapper of_tiles(tiled.tiles, tiled.nodes);
    of_tiles.run();
    const std::vector<Rank>& node_at = of_tiles.unit_at_;
    for (Rank tile = 0; tile < node_at.size(); ++tile) {
      std::vector<Rank>& places = tiled.places[tile];
      divide(places, std::span(tiled.units).subspan(node_at[tile] * places.size(), places.size()));
    }
    improve_all();
  }

  std::vector<Rank> order() && { return std::move(unit_at_); }

  double total() const {
    double sum = 0;
    for (Rank place = 0; place < pattern_.places(); ++place) sum += cost(place, unit_at_[place], place);
    return sum;
  }

 private:
  void divide(std::span<Rank> places, std::span<Rank> units) {
    const std::size_t first = topology::split_machine(topology_, units);
    if (first == 0) {
      std::sort(places.begin(), places.end());
      for (std::size_t i = 0; i < places.size(); ++i) unit_at_[places[i]] = units[i];
      return;
    }
    split_.split(places, first);
    divide(places.first(first), units.first(first));
    divide(places.subspan(first), units.subspan(first));
  }

  // Weights times distances of `place`, were it taken by `unit`; `other` is left out.
  double cost(Rank place, Rank unit, Rank other) const {
    double sum = 0;
    for (std::size_t e = pattern_.begin[place]; e < pattern_.begin[place + 1]; ++e)
      if (const Rank neighbour = pattern_.neighbour[e]; neighbour != other)
        sum += pattern_.weight[e] * topology_.distance(unit, unit_at_[neighbour]);
    return sum;
  }

  bool try_exchange(Rank one, Rank two) {
    const Rank here = unit_at_[one], there = unit_at_[two];
    const double before = cost(one, here, two) + cost(two, there, one);
    if (cost(one, there, two) + cost(two, here, one) >= before * (1 - 1e-9)) return false;
    std::swap(unit_at_[one], unit_at_[two]);
    return true;
  }

  void improve_all() {
    std::size_t looks = 0;
    while (improve(looks)) {
    }
  }

  // From random orders, for as few units that it costs nothing: keeps the best.
  void start_again() {
    util::Random random(1);
    std::vector<Rank> best = unit_at_;
    double least = total();
    for (int start = 0; start < kStarts; ++start) {
      for (Rank i = pattern_.places(); i > 1; --i) std::swap(unit_at_[i - 1], unit_at_[random.below(i)]);
      improve_all();
      if (const double here = total(); here < least * (1 - 1e-9)) least = here, best = unit_at_;
    }
    unit_at_ = std::move(best);
  }

  // One pass of exchanges. False: none paid, or there were enough looks.
  bool improve(std::size_t& looks) {
    bool changed = false;
    for (Rank one = 0; one < pattern_.places(); ++one) {
      if (pattern_.places() <= kAllPairs) {
        for (Rank two = one + 1; two < pattern_.places(); ++two) changed |= try_exchange(one, two);
        continue;
      }
      if (looks >= kMostLooks) return false;
      changed |= exchange_nearby(one, looks);
    }
    return changed;
  }

  // With neighbours of neighbours that are on the unit's other side of a border.
  bool exchange_nearby(Rank one, std::size_t& looks) {
    for (std::size_t e = pattern_.begin[one]; e < pattern_.begin[one + 1]; ++e) {
      const Rank middle = pattern_.neighbour[e];
      if (topology_.distance(unit_at_[one], unit_at_[middle]) == 0) continue;
      for (std::size_t f = pattern_.begin[middle]; f < pattern_.begin[middle + 1] && looks < kMostLooks; ++f) {
        const Rank two = pattern_.neighbour[f];
        if (two == one || topology_.distance(unit_at_[one], unit_at_[two]) == 0) continue;
        ++looks;
        if (try_exchange(one, two)) return true;
      }
    }
    return false;
  }

  const CommunicationPattern& pattern_;
  const Topology& topology_;
  topology::PatternSplit split_;
  std::vector<Rank> unit_at_;
};

}  // namespace

Result<std::vector<Rank>> map(const CommunicationPattern& pattern, const Topology& topology) {
  if (pattern.begin.empty() || pattern.places() != topology.units())
    return Status(Code::invalid_argument, "map: a pattern of " +
                                              std::to_string(pattern.begin.empty() ? 0 : pattern.places()) +
                                              " places for " + std::to_string(topology.units()) + " units");
  auto tiled = pattern.places() > kAllPairs ? topology::tile_nodes(pattern, topology) : std::nullopt;
  Mapper directly(pattern, topology);
  if (!tiled || pattern.places() <= kBothWays) directly.run();
  if (!tiled) return std::move(directly).order();
  Mapper by_tiles(pattern, topology);
  by_tiles.run_tiled(*tiled);
  if (pattern.places() > kBothWays) return std::move(by_tiles).order();
  return std::move(by_tiles.total() <= directly.total() ? by_tiles : directly).order();
}

}  // namespace polder
