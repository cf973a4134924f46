// A meeting at which members say whether they offer their memory.
#pragma once

#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

// The next piece: all show where their memory lies. `offered`: all of it can be reached, and the piece goes on; else it
// has been left. Members with no bytes offer them.
Task meet(Node& node, const std::byte* memory, std::size_t bytes, bool& offered);

// REQUIRES: the piece is that of the meeting.
Offer offer_of(const Node& node, Rank member);

}  // namespace polder::coll
