// Dissemination barrier. ceil(log2 N) rounds of one empty letter: ceil(lg N) (L + 2o). Hensgen, Finkel, Manber 1988.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task dissemination_barrier(Wire& wire) {
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank distance = Rank{1} << k;
    const Slot slot = wire.slots.from_below(k);
    const Out out{wire.above(distance), slot};
    const In in{wire.below(distance), slot};
    co_await wire.swap(out, in);
  }
}

}  // namespace polder::coll
