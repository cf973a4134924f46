// Binomial tree reduce: a broadcast backwards. ceil(log2 N) rounds, S bytes from each: ceil(lg N) (L + 2o + SG + Sy).
// Combined in the order of places, so of members where the root is 0. Tzeng, Chen 1998.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task binomial_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* sums, std::size_t count) {
  const std::size_t bytes = count * wire.elements.size;
  const Rank place = wire.below(root);
  const std::byte* sum = send;
  unsigned k = 0;
  for (; k < wire.slots.rounds() && (place >> k & 1) == 0; ++k) {
    const Rank distance = Rank{1} << k;
    if (distance >= wire.size - place) continue;
    const std::byte* const own = sum != sums ? sum : nullptr;
    co_await wire.receive(wire.above(distance), wire.slots.from_above(k), sums, bytes, Take::combine_right, own);
    sum = sums;
  }
  if (place != 0)
    co_await wire.send(wire.below(Rank{1} << k), wire.slots.from_above(k), sum, bytes);
  else if (sum != sums)
    wire.copy(sums, sum, bytes);
}

}  // namespace polder::coll
