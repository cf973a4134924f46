// Reduce in one step: each sends its vector straight to the root, which combines them in ascending order. 1 round,
// (N-1) S bytes to the root: L + 2o + (N-2) max(g, o, SG) + SG + (N-1) Sy. Few members, short vectors.
// REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/in_order.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task whole_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  const std::size_t bytes = count * wire.elements.size;
  if (wire.me != root) {
    const Rank distance = wire.size - wire.below(root);
    co_await wire.send(root, wire.slots.from_near(distance), send, bytes, kWindowOfAny);
    co_return;
  }
  const std::byte* const mine = combines_in_place(wire) ? send : kept_apart(wire, send, receive, bytes);
  co_await combine_in_order(wire, {}, mine, receive, bytes);
}

}  // namespace polder::coll
