// Allgather in one step: each sends its part to all others. 1 round, (N-1) S/N bytes from each, S of all parts:
// L + 2o + (N-2) max(g, o, SG/N) + SG/N. Few members. REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task spread_allgather(Wire& wire, Parts parts, std::byte* all) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  Out outs[Slots::kNear];
  In ins[Slots::kNear];
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank to = wire.above(d), from = wire.below(d);
    const Slot slot = wire.slots.from_near(d);
    outs[d - 1] = {to, slot, all + parts.begin(wire.me), parts.bytes(wire.me)};
    outs[d - 1].may_wait = true;  // all take what comes in this very step
    outs[d - 1].window_from = window_from(wire.size - 1);
    ins[d - 1] = {from, slot, all + parts.begin(from), parts.bytes(from)};
    ins[d - 1].window_from = window_from(wire.size - 1);
  }
  const std::span<Out> sent(outs, wire.size - 1);
  const std::span<In> taken(ins, wire.size - 1);
  co_await wire.all(sent, taken);
}

}  // namespace polder::coll
