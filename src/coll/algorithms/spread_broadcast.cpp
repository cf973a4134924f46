// Broadcast by parts: the root sends each member a part, and all send theirs to all others. 2 rounds, 2 S (N-1)/N bytes
// from the root: 2 (L + 2o + (N-2) max(g, o, SG/N) + SG/N). Few members. Barnett et al. (van de Geijn) 1994, without the
// rounds. REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task spread_broadcast(Wire& wire, Rank root, std::byte* data, std::size_t bytes) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  const Parts parts(bytes, wire.size, 1);
  Out outs[Slots::kNear];
  In ins[Slots::kNear];
  if (wire.me == root) {
    for (Rank d = 1; d < wire.size; ++d) {
      const Rank to = wire.above(d);
      outs[d - 1] = {to, wire.slots.from_near(d), data + parts.begin(to), parts.bytes(to)};
    }
    const std::span<Out> given(outs, wire.size - 1);
    co_await wire.all(given, {});
  } else {
    const Slot slot = wire.slots.from_near(wire.below(root));
    co_await wire.receive(root, slot, data + parts.begin(wire.me), parts.bytes(wire.me));
  }
  Rank leaving = 0, coming = 0;
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank to = wire.above(d), from = wire.below(d);
    const Slot slot = wire.slots.from_near(d);
    if (to != root) outs[leaving++] = {to, slot, data + parts.begin(wire.me), parts.bytes(wire.me)};
    if (wire.me != root) ins[coming++] = {from, slot, data + parts.begin(from), parts.bytes(from)};
  }
  const std::span<Out> sent(outs, leaving);
  const std::span<In> taken(ins, coming);
  co_await wire.all(sent, taken);
}

}  // namespace polder::coll
