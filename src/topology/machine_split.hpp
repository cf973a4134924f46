// Halves of a machine: units that are near each other stay together.
#pragma once

#include <polder/topology.hpp>

namespace polder::topology {

// All units, those that share outer levels side by side.
std::vector<Rank> sorted_units(const Topology& topology);

// Reorders `units` (as sorted_units() or a half of it) and returns how many are the first half: of a tree, between two branches of the outermost level
// that they do not share; of a torus, across its widest dimension. As near the middle as branches allow. 0: they share all.
std::size_t split_machine(const Topology& topology, std::span<Rank> units);

}  // namespace polder::topology
