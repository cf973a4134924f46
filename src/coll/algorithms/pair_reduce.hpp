// Reductions of two members. Each that takes the result combines both vectors itself: by a tree one of them would take from a desk what
// the other had fetched there.
#pragma once

#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"

#include <cstddef>

namespace polder::coll {

// Over desks: one turn, S bytes put and combined by each. In smaller pieces than others, so that one member puts the next ones while the
// other combines.
Task pair_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes);

// What a member says of its vector and of where it wants the result.
struct VectorOffers {
  Offer send, receive;
};

// From where they lie, in the piece in which both have shown that: each fetches and combines one half, and then fetches the other half of
// the result (a reduce_scatter and an allgather: Rabenseifner 2004). Two turns; S bytes copied and S / 2 combined by each. A half of
// a vector is read by the member that combines it alone, and may be replaced by its result once that has been shown.
Task fetched_pair_allreduce(Node& node, VectorOffers theirs, const std::byte* send, std::byte* receive,
                            std::size_t bytes);

// Of how many members each copies what another one offers to an allreduce or a reduce_scatter, if it lies in private memory. Only of two: by four
// on two cores it took 1.1 to 1.3 times as long as over desks. (Nor to a reduce: its root would fetch all, 0.9 to 1.2 times.)
inline Rank takers_of_vectors(const Node& node) {
  return node.size == 2 ? 1 : kLoaded;
}

// The bytes [begin, begin + bytes) of both vectors into `result`, the other's from where it lies.
Task combine_fetched(Node& node, Offer theirs, const std::byte* mine, std::size_t begin, std::size_t bytes,
                     std::byte* result);

}  // namespace polder::coll
