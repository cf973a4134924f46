// Allreduce in one step: each sends its vector to all others and combines what comes, in ascending order. 1 round,
// (N-1) S bytes from each: L + 2o + (N-2) max(g, o, SG) + SG + (N-1) Sy. Few members, short vectors; two, always.
// REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/in_order.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task whole_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  const std::size_t bytes = count * wire.elements.size;
  const std::byte* const mine = kept_apart(wire, send, receive, bytes);
  Out outs[Slots::kNear];
  for (Rank d = 1; d < wire.size; ++d) outs[d - 1] = {wire.above(d), wire.slots.from_near(d), mine, bytes};
  const std::span<Out> all(outs, wire.size - 1);
  co_await combine_in_order(wire, all, mine, receive, bytes);
}

}  // namespace polder::coll
