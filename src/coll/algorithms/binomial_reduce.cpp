// Binomial tree reduce: a broadcast backwards. ceil(log2 N) rounds, S bytes from each: ceil(lg N) (L + 2o + SG + Sy).
// Combined in the order of places, so of members where the root is 0. Tzeng, Chen 1998.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task binomial_reduce(Wire& wire, Rank root, void* data, std::size_t count) {
  const std::size_t bytes = count * wire.elements.size;
  const Rank place = wire.below(root);
  unsigned k = 0;
  for (; k < wire.slots.rounds() && (place >> k & 1) == 0; ++k) {
    const Rank distance = Rank{1} << k;
    if (distance < wire.size - place)
      co_await wire.receive(wire.above(distance), wire.slots.from_above(k), data, bytes, Take::combine_right);
  }
  if (place != 0) co_await wire.send(wire.below(Rank{1} << k), wire.slots.from_above(k), data, bytes);
}

}  // namespace polder::coll
