// Gather in one step: each sends its part straight to the root. 1 round, S (N-1)/N bytes to the root, S of all parts:
// L + 2o + (N-2) max(g, o, SG/N) + SG/N. Few members. REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task spread_gather(Wire& wire, Rank root, Parts parts, const std::byte* mine, std::byte* all) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  if (wire.me != root) {
    const Rank distance = wire.size - wire.below(root);
    co_await wire.send(root, wire.slots.from_near(distance), mine, parts.bytes(wire.me), kWindowOfAny);
    co_return;
  }
  In ins[Slots::kNear];
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank from = wire.below(d);
    ins[d - 1] = {from, wire.slots.from_near(d), all + parts.begin(from), parts.bytes(from)};
  }
  if (all + parts.begin(root) != mine) wire.copy(all + parts.begin(root), mine, parts.bytes(root));
  const std::span<In> taken(ins, wire.size - 1);
  co_await wire.all({}, taken);
}

}  // namespace polder::coll
