// Binomial tree broadcast. ceil(log2 N) rounds, S bytes to each member: ceil(lg N) (L + 2o + SG). Tzeng, Chen 1998.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task binomial_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes) {
  const Rank place = wire.below(root);  // in a tree whose root is 0
  unsigned k = 0;                       // the lowest bit that is set: how far below the parent is
  while (k < wire.slots.rounds() && (place >> k & 1) == 0) ++k;
  if (place != 0) co_await wire.receive(wire.below(Rank{1} << k), wire.slots.from_below(k), data, bytes);
  while (k-- > 0) {
    const Rank distance = Rank{1} << k;
    if (distance < wire.size - place)
      co_await wire.send(wire.above(distance), wire.slots.from_below(k), data, bytes,
                         wire.size == 2 ? kWindowOfAny : kWholeLetter);
  }
}

}  // namespace polder::coll
