// Scatter in one step: the root sends each its part. 1 round, S (N-1)/N bytes from the root, S of all parts:
// L + 2o + (N-2) max(g, o, SG/N) + SG/N. Few members. REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task spread_scatter(Wire& wire, Rank root, Parts parts, const std::byte* all, std::byte* mine) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  if (wire.me != root) {
    co_await wire.receive(root, wire.slots.from_near(wire.below(root)), mine, parts.bytes(wire.me));
    co_return;
  }
  Out outs[Slots::kNear];
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank to = wire.above(d);
    outs[d - 1] = {to, wire.slots.from_near(d), all + parts.begin(to), parts.bytes(to)};
  }
  if (wire.size == 2) outs[0].window_from = kWindowOfAny;
  const std::span<Out> sent(outs, wire.size - 1);
  co_await wire.all(sent, {});
  if (all + parts.begin(root) != mine) wire.copy(mine, all + parts.begin(root), parts.bytes(root));
}

}  // namespace polder::coll
