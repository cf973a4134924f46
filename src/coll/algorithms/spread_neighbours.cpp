// Exchange with neighbours by direct letters, all at the same time: one to each member for which there is a block, one from
// each of whom one is expected. 1 round, as many letters as neighbours, and their bytes: for k neighbours of S bytes L +
// 2o + (k-1) max(g, o, SG) + SG. Who is no neighbour sends nothing and waits for
// nothing.
// REQUIRES: direct_slot() has one for every pair of neighbours.
#include "coll/algorithms/algorithms.hpp"
#include "coll/port/direct_slots.hpp"

#include <cstddef>
#include <new>
#include <span>

namespace polder::coll {

Task spread_neighbours(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in) {
  wire.copy(receive + in[wire.me].begin, send + out[wire.me].begin, in[wire.me].bytes);
  std::size_t leaving = 0, coming = 0;
  for (Rank d = 1; d < wire.size; ++d) {
    leaving += out[wire.above(d)].awaited;
    coming += in[wire.below(d)].awaited;
  }
  const std::span<Out> sent(reinterpret_cast<Out*>(wire.scratch(leaving * sizeof(Out), true)), leaving);
  const std::span<In> taken(reinterpret_cast<In*>(wire.scratch(coming * sizeof(In), true)), coming);
  leaving = coming = 0;
  for (Rank d = 1; d < wire.size; ++d) {
    const Rank to = wire.above(d), from = wire.below(d);
    if (!out[to].awaited && !in[from].awaited) continue;
    const Slot slot = direct_slot(wire.slots, wire.size, d).value();
    if (out[to].awaited) new (&sent[leaving++]) Out{to, slot, send + out[to].begin, out[to].bytes};
    if (in[from].awaited) new (&taken[coming++]) In{from, slot, receive + in[from].begin, in[from].bytes};
  }
  co_await wire.all(sent, taken);
}

}  // namespace polder::coll
