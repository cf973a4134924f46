// Allgather on a circulant graph, which is Bruck's with the distances of the reduce-scatter run backwards: each round
// nearly doubles the parts that a member holds. ceil(log2 N) rounds, S (N-1)/N bytes from each, S of all parts:
// ceil(lg N) (L + 2o) + S (N-1)/N G. Bruck, Ho, Kipnis, Upfal, Weathersby 1997; Traff 2024.
#include "coll/algorithms/circulant.hpp"

namespace polder::coll {

Task circulant_growing(Wire& wire, Parts parts, std::byte* turned) {
  for (unsigned k = wire.slots.rounds(); k-- > 0;) {
    const Rank all = circulant_left(wire.size, k), held = circulant_left(wire.size, k + 1);
    const Rank from = wire.above(held), to = wire.below(held);
    const Slot slot = wire.slots.from_half_above(k);
    const std::size_t end = parts.round(wire.me, held);
    const Out out{to, slot, turned, parts.round(wire.me, all - held)};
    const In in{from, slot, turned + end, parts.round(wire.me, all) - end};
    co_await wire.swap(out, in);
  }
}

void turn_back(Wire& wire, const Parts& parts, const std::byte* turned, std::byte* data) {
  const std::size_t begin = parts.begin(wire.me), total = parts.total();
  wire.copy(data + begin, turned, total - begin);
  wire.copy(data, turned + (total - begin), begin);
}

Task bruck_allgather(Wire& wire, Parts parts, std::byte* all) {
  std::byte* const turned = wire.scratch(parts.total());
  wire.copy(turned, all + parts.begin(wire.me), parts.bytes(wire.me));
  co_await circulant_growing(wire, parts, turned);
  turn_back(wire, parts, turned, all);
}

}  // namespace polder::coll
