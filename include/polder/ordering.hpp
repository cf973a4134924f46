// In which order operations of one rank take effect at one target. A choice of the runtime (RuntimeOptions::ordering,
// POLDER_ORDERING) and of each operation (Post::ordering), after OSPRI (Hammond, Dinan, Balaji, Kabadshow, Potluri,
// Tipparaju 2012), section IV-B.
//
// The order is that in which one thread posts, or in which threads post that synchronise with each other in between.
// What it holds together are operations on the same bytes of the same segment; others never wait for each other. On
// memory that this rank loads and stores (ranks of its machine) all three are the same and free. Over a network an
// operation whose bytes are still written by an earlier one waits, inside the call that posts it, until that one is
// complete; a range of bytes for each segment of a peer tells, and a false alarm costs a round trip. Where the network
// keeps an order of its own, as over UCX, nothing waits for puts.
#pragma once

#include <cstdint>

namespace polder {

enum class Ordering : std::uint8_t {
  inherit,    // what the runtime was made with; for a runtime: what POLDER_ORDERING says, unordered if it says nothing
  unordered,  // until a fence. Only a notification never overtakes the data before it
  partial,    // puts take effect in order among themselves; gets and accumulates in any order
  strict,  // location consistency: each operation sees the puts, accumulates and atomics before it, and none after it
};

}  // namespace polder
