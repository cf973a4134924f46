// Alltoall by direct letters, a window of them at a time, each member beginning behind its own place so that not all
// send to the same one. (N-1) letters, (N-1) S bytes from each: about L + 2o + (N-1) max(g, o, SG). The paper's, with
// bounded slots. REQUIRES: wire.slots.near() >= size - 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

#include <algorithm>

namespace polder::coll {

Task spread_alltoall(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                     Scattered scattered) {
  POLDER_ASSERT(wire.slots.near() >= wire.size - 1);
  constexpr Rank kWindow = 8;
  Out outs[kWindow];
  In ins[kWindow];
  for (Rank first = 1; first < wire.size; first += kWindow) {
    const Rank letters = std::min(kWindow, wire.size - first);
    for (Rank i = 0; i < letters; ++i) {
      const Rank to = wire.above(first + i), from = wire.below(first + i);
      const Slot slot = wire.slots.from_near(first + i);
      outs[i] = scattered.letter(to, slot, send, out[to]);
      outs[i].may_wait = true;  // its reader takes it in this very step, whatever else comes
      outs[i].window_from = window_from(letters);
      ins[i] = scattered.letter(from, slot, receive, in[from]);
      ins[i].window_from = window_from(letters);
    }
    const std::span<Out> sent(outs, letters);
    const std::span<In> taken(ins, letters);
    if (first == 1) {
      // Others learn where theirs go, and the first letters are on their way, while this member copies.
      co_await wire.begin(sent, taken);
      keep_own_block(wire, send, out[wire.me], receive, in[wire.me], scattered);
    }
    co_await wire.all(sent, taken);
  }
  if (wire.size == 1) keep_own_block(wire, send, out[wire.me], receive, in[wire.me], scattered);
}

}  // namespace polder::coll
