// Combining what all members send to this one, in ascending order.
#pragma once

#include "coll/algorithms/algorithms.hpp"

#include <span>

namespace polder::coll {

// `into` becomes what the letters of all others, from their near slots, and `mine` make together; `outs` go out
// meanwhile. REQUIRES: wire.slots.near() >= size - 1; `mine` and `into` differ.
Task combine_in_order(Wire& wire, std::span<Out> outs, const std::byte* mine, std::byte* into, std::size_t bytes);

}  // namespace polder::coll
