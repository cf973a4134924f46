// Reduce-scatter by slices: each sends each part to its owner, who combines them in ascending order. 1 round,
// S (N-1)/N bytes from each: L + 2o + (N-2) max(g, o, SG/N) + SG/N + S (N-1)/N y. Few members. Empty parts are not sent.
#include "coll/algorithms/in_order.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task slices_reduce_scatter(Wire& wire, Parts parts, const std::byte* data, std::byte* part) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  Out outs[Slots::kNear];
  std::size_t count = 0;
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank to = wire.above(d);
    if (parts.bytes(to) != 0) outs[count++] = {to, wire.slots.from_near(d), data + parts.begin(to), parts.bytes(to)};
  }
  const std::span<Out> all(outs, count);
  const std::size_t bytes = parts.bytes(wire.me);
  if (bytes == 0) {
    co_await wire.all(all, {});
    co_return;
  }
  const std::byte* const first = data + parts.begin(wire.me);
  const std::byte* const mine = combines_in_place(wire) ? first : kept_apart(wire, first, part, bytes);
  co_await combine_in_order(wire, all, mine, part, bytes);
}

}  // namespace polder::coll
