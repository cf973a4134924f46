// Exchange with neighbours by direct letters, all at the same time: one to each member for which there is a block, one from
// each of whom one is expected. 1 round, as many letters as neighbours, and their bytes: for k neighbours of S bytes L +
// 2o + (k-1) max(g, o, SG) + SG. Who is no neighbour sends nothing and waits for
// nothing.
// REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

namespace polder::coll {

Task spread_neighbours(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in) {
  POLDER_ASSERT(wire.size <= Slots::kNear + 1);
  wire.copy(receive + in[wire.me].begin, send + out[wire.me].begin, in[wire.me].bytes);
  Out outs[Slots::kNear];
  In ins[Slots::kNear];
  Rank leaving = 0, coming = 0;
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank to = wire.above(d), from = wire.below(d);
    const Slot slot = wire.slots.from_near(d);
    if (out[to].awaited) outs[leaving++] = {to, slot, send + out[to].begin, out[to].bytes};
    if (in[from].awaited) ins[coming++] = {from, slot, receive + in[from].begin, in[from].bytes};
  }
  const std::span<Out> sent(outs, leaving);
  const std::span<In> taken(ins, coming);
  co_await wire.all(sent, taken);
}

}  // namespace polder::coll
