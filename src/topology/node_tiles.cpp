#include "topology/node_tiles.hpp"

#include "topology/machine_split.hpp"

#include <algorithm>

namespace polder::topology {
namespace {

using Extents = std::vector<std::uint32_t>;

// Units of each node; 0: not the same for all.
Rank units_of_nodes(const Topology& topology, const std::vector<Rank>& units) {
  std::size_t size = 0, begin = 0;
  for (std::size_t i = 1; i <= units.size(); ++i) {
    if (i < units.size() && topology.parting(units[i - 1], units[i]) >= topology.spec().network_levels) continue;
    if (size != 0 && i - begin != size) return 0;
    size = i - begin, begin = i;
  }
  return Rank(size);
}

// Pairs of neighbours that a tile shares with others, if it has some on all sides.
double surface(const Extents& tile, const Extents& grid) {
  double volume = 1, sum = 0;
  for (const std::uint32_t extent : tile) volume *= extent;
  for (std::size_t d = 0; d < tile.size(); ++d) sum += tile[d] == grid[d] ? 0 : volume / tile[d];
  return sum;
}

// All tiles of `volume` places whose extents divide those of the grid.
void search_tile(const Extents& grid, Rank volume, Extents& tile, Extents& best) {
  if (tile.size() == grid.size()) {
    if (volume == 1 && (best.empty() || surface(tile, grid) < surface(best, grid))) best = tile;
    return;
  }
  for (std::uint32_t extent = 1; extent <= std::min(volume, grid[tile.size()]); ++extent) {
    if (volume % extent != 0 || grid[tile.size()] % extent != 0) continue;
    tile.push_back(extent);
    search_tile(grid, volume / extent, tile, best);
    tile.pop_back();
  }
}

Rank tile_of(Rank place, const Extents& grid, const Extents& tile) {
  Rank number = 0, stride = 1;
  for (std::size_t d = grid.size(); d-- > 0; place /= grid[d]) {
    number += place % grid[d] / tile[d] * stride;
    stride *= grid[d] / tile[d];
  }
  return number;
}

// Adds up what places of a tile send to those of others.
CommunicationPattern join_places(const CommunicationPattern& pattern, const std::vector<std::vector<Rank>>& places,
                                 const std::vector<Rank>& tile) {
  CommunicationPattern tiles{{0}, {}, {}, {}};
  for (Rank here = 0; here < places.size(); ++here) {
    const auto first = std::ptrdiff_t(tiles.neighbour.size());
    for (const Rank place : places[here])
      for (std::size_t e = pattern.begin[place]; e < pattern.begin[place + 1]; ++e) {
        const Rank there = tile[pattern.neighbour[e]];
        if (there == here) continue;
        const auto found = std::find(tiles.neighbour.begin() + first, tiles.neighbour.end(), there);
        const auto at = std::size_t(found - tiles.neighbour.begin());
        if (found == tiles.neighbour.end()) tiles.neighbour.push_back(there), tiles.weight.push_back(0);
        tiles.weight[at] += pattern.weight[e];
      }
    tiles.begin.push_back(tiles.neighbour.size());
  }
  return tiles;
}

Topology nodes_of(const Topology& topology, const std::vector<Rank>& units, Rank each) {
  TopologySpec spec = topology.spec();
  spec.levels.resize(spec.network_levels);
  spec.coordinates.clear();
  for (std::size_t i = 0; i < units.size(); i += each) {
    const auto at = topology.at(units[i]).first(spec.network_levels);
    spec.coordinates.insert(spec.coordinates.end(), at.begin(), at.end());
  }
  return *Topology::create(std::move(spec));
}

}  // namespace

std::optional<NodeTiles> tile_nodes(const CommunicationPattern& pattern, const Topology& topology) {
  if (pattern.extents.empty() || topology.spec().network_levels == 0) return std::nullopt;
  std::vector<Rank> units = sorted_units(topology);
  const Rank each = units_of_nodes(topology, units);
  Extents tile, best;
  if (each > 1 && each < units.size()) search_tile(pattern.extents, each, tile, best);
  if (best.empty()) return std::nullopt;
  std::vector<Rank> tile_at(pattern.places());
  std::vector<std::vector<Rank>> places(units.size() / each);
  for (Rank place = 0; place < pattern.places(); ++place) {
    tile_at[place] = tile_of(place, pattern.extents, best);
    places[tile_at[place]].push_back(place);
  }
  CommunicationPattern tiles = join_places(pattern, places, tile_at);
  for (std::size_t d = 0; d < best.size(); ++d) tiles.extents.push_back(pattern.extents[d] / best[d]);
  return NodeTiles{std::move(tiles), nodes_of(topology, units, each), std::move(units), std::move(places)};
}

}  // namespace polder::topology
