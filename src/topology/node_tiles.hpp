// A grid in tiles of a node each, where the extents allow it: the first step of the paper's mapping (Idrees, Fuchs, Glass 2016, 3.4.2).
#pragma once

#include <polder/topology.hpp>

#include <optional>

namespace polder::topology {

struct NodeTiles {
  CommunicationPattern tiles;             // who talks to whom, a place a tile
  Topology nodes;                         // their machine, a unit a node
  std::vector<Rank> units;                // of node 0, of node 1, ...
  std::vector<std::vector<Rank>> places;  // of each tile
};

// The tiles with the least surface. Nothing: no grid, one node, nodes of different size, or extents that no tile of that size
// divides.
std::optional<NodeTiles> tile_nodes(const CommunicationPattern& pattern, const Topology& topology);

}  // namespace polder::topology
