// Alltoall by direct letters, a window of them at a time, each member beginning behind its own place so that not all
// send to the same one. (N-1) letters, (N-1) S bytes from each: about L + 2o + (N-1) max(g, o, SG). The paper's, with
// bounded slots. REQUIRES: wire.slots.near() >= size - 1.
#include "coll/algorithms/algorithms.hpp"
#include "util/assert.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

// Letters that are under way at the same time: as many as hide each other's latency, but few long ones, or they stay in no cache. Six of
// 1 MB at a time between four hosts of 2 took 1.5 to 1.8 times as long as two; of 512 kB 1.05, and between two hosts of 4 0.84.
constexpr Rank kMost = 8, kMostLong = 2;
constexpr std::size_t kLong = std::size_t{768} << 10;

// How many from this distance on. Members may differ about it: each letter is under way at both ends once those of the distances below
// have ended.
Rank letters_from(const Wire& wire, Rank distance, const Block* out) {
  const Rank most = std::min(kMost, wire.size - distance);
  bool any_long = false;
  for (Rank letters = 0; letters < most; ++letters) {
    any_long = any_long || out[wire.above(distance + letters)].bytes >= kLong;
    if (any_long && letters >= kMostLong) return letters;
  }
  return most;
}

}  // namespace

Task spread_alltoall(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                     Scattered scattered) {
  POLDER_ASSERT(wire.slots.near() >= wire.size - 1);
  Out outs[kMost];
  In ins[kMost];
  const std::size_t waits_from = window_from(wire.size - 1);
  Rank letters = 0;
  for (Rank first = 1; first < wire.size; first += letters) {
    letters = letters_from(wire, first, out);
    for (Rank i = 0; i < letters; ++i) {
      const Rank to = wire.above(first + i), from = wire.below(first + i);
      const Slot slot = wire.slots.from_near(first + i);
      outs[i] = scattered.letter(to, slot, send, out[to]);
      outs[i].may_wait = true;  // its reader takes it in this very step, or the next one, whatever else comes
      outs[i].window_from = waits_from;
      ins[i] = scattered.letter(from, slot, receive, in[from]);
      ins[i].window_from = waits_from;
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
