// The paper's stencil kernel in virtual time: each unit puts to its neighbours one after the other and waits for each put
// (Idrees, Fuchs, Glass 2016, 5.1), over cables that they share.
#pragma once

#include <polder/topology.hpp>

#include <cstddef>
#include <span>

namespace polder::cli {

// Of a put, us: what it costs anywhere, for each cable, for a byte over a cable, and for a byte inside a node.
struct PutTimes {
  double base = 0.6, hop = 0.1, per_byte = 1e-4, inside_per_byte = 1e-4;
};

// us until all units have put `bytes` to each neighbour. The cables that lead out of a branch of a tree are dealt to nodes by
// destination. REQUIRES: mapping_cost() takes the arguments.
double stencil_time(const CommunicationPattern& pattern, const Topology& topology, std::span<const Rank> order,
                    std::size_t bytes, const PutTimes& times = {});

}  // namespace polder::cli
