// A meeting at which members say whether they offer their memory.
#pragma once

#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

// The next piece: all show where their memory lies. `offered`: all of it can be reached, and the piece goes on; else it
// has been left. Members with no bytes offer them. `reach`: how; private memory is only copied from, and only if the first member has
// found that this is faster.
enum class ReachOffers { load, copy };
Task meet(Node& node, ReachOffers reach, const std::byte* memory, std::size_t bytes, bool& offered);

// REQUIRES: the piece is that of the meeting.
Offer offer_of(const Node& node, Rank member);

// Whether what all members show in this piece offers memory that may be reached in that way. A line says whether its member finds
// one copy of private memory faster: that of the first member decides.
std::uint32_t wants_one_copy(const Node& node, const Offer& mine);
struct OffersOfAll {
  bool all = true, some_are_private = false;

  void add(const Offer& offer) {
    all = all && offer.kind != Offer::nothing;
    some_are_private = some_are_private || offer.kind == Offer::process;
  }
  // REQUIRES: all have shown wants_one_copy() with their offers.
  bool are_good(const Node& node) const { return all && (!some_are_private || node.line(0).what != 0); }
};

}  // namespace polder::coll
