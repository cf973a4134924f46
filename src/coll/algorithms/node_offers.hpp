// What members say of their memory: to all at a meeting, or to one.
#pragma once

#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

// The next piece: all show where their memory lies. `offered`: all of it can be reached, and the piece goes on; else it
// has been left. Members with no bytes offer them. `takers`: so many copy each byte from where it lies, which may be private memory
// if the first member has found that one copy by each of them is faster than two, of which they share the first.
// kLoaded: members load what is offered.
constexpr Rank kLoaded = 0;
Task meet(Node& node, Rank takers, const std::byte* memory, std::size_t bytes, bool& offered);

// What this member says of its memory, likewise.
Offer offer_to(Node& node, Rank takers, const std::byte* memory, std::size_t bytes);

// REQUIRES: the member has shown its offer in this piece.
Offer offer_of(const Node& node, Rank member);

// What a line says beside an offer of so many bytes: whether its member finds one copy of private memory faster.
std::uint32_t wants_one_copy(const Node& node, Rank takers, const Offer& mine, std::size_t bytes);

// What all members show in a piece. The first member decides whether private memory is copied once.
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
