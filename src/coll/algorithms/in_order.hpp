// Combining what all members send to this one, in ascending order.
#pragma once

#include "coll/algorithms/algorithms.hpp"

#include <span>

namespace polder::coll {

// At the first two members the sum can begin with what is there, before or behind what comes first.
inline bool combines_in_place(const Wire& wire) {
  return wire.me <= 1;
}

// `mine`, or a copy of it if it lies where the result goes.
inline const std::byte* kept_apart(Wire& wire, const std::byte* mine, const std::byte* into, std::size_t bytes) {
  if (mine != into) return mine;
  std::byte* const kept = wire.scratch(bytes);
  wire.copy(kept, mine, bytes);
  return kept;
}

// `into` becomes what the letters of all others, from their near slots, and `mine` make together; `outs` go out
// meanwhile. REQUIRES: wire.slots.near() >= size - 1; `mine` and `into` differ, but where combines_in_place().
Task combine_in_order(Wire& wire, std::span<Out> outs, const std::byte* mine, std::byte* into, std::size_t bytes);

}  // namespace polder::coll
