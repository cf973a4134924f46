// Neighbours: one letter to each member that has a block of this one, near ones first, so that the letters of all go different ways, and
// one from each of whom one is expected. 1 round, as many letters as neighbours, and their bytes: for k neighbours of S bytes L +
// 2o + (k-1) max(g, o, SG) + SG. Who is no neighbour sends nothing and waits for
// nothing.
// REQUIRES: every edge has a slot.
#include "coll/algorithms/algorithms.hpp"

#include <cstddef>
#include <new>
#include <span>

namespace polder::coll {

Task spread_neighbours(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                       std::span<const SlottedEdge> leaving, std::span<const SlottedEdge> coming, Scattered scattered) {
  constexpr std::size_t kTwo = 2;  // letters of a step, whatever either end has: both must say the same
  keep_own_block(wire, send, out[wire.me], receive, in[wire.me], scattered);
  const std::span<Out> sent(reinterpret_cast<Out*>(wire.scratch(leaving.size() * sizeof(Out), true)), leaving.size());
  const std::span<In> taken(reinterpret_cast<In*>(wire.scratch(coming.size() * sizeof(In), true)), coming.size());
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    const SlottedEdge& edge = leaving[i];
    new (&sent[i]) Out(scattered.letter(edge.member, edge.slot, send, out[edge.member]));
    sent[i].credits = edge.credits;
    sent[i].may_wait = true;  // nobody waits for a letter of this member before it takes what comes
    sent[i].window_from = window_from(kTwo);
  }
  for (std::size_t i = 0; i < coming.size(); ++i) {
    const SlottedEdge& edge = coming[i];
    new (&taken[i]) In(scattered.letter(edge.member, edge.slot, receive, in[edge.member]));
    taken[i].credits = edge.credits;
    taken[i].window_from = window_from(kTwo);
  }
  co_await wire.all(sent, taken);
}

}  // namespace polder::coll
