// Ring reduce-scatter: each part goes once round, is combined on its way and ends at its owner. N - 1 rounds,
// S (N-1)/N bytes from each: (N-1) (L + 2o + S/N (G + y)). Each part is combined in an order of its own.
// Patarasuk, Yuan 2009.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task ring_reduce_scatter(Wire& wire, Parts parts, std::byte* data) {
  const Rank n = wire.size;
  for (std::uint64_t k = 1; k < n; ++k) {
    const std::uint64_t leaving = wire.me + n - k, coming = leaving + n - 1;
    const Slot slot = wire.slots.from_below(0);
    const Out out{wire.above(1), slot, data + parts.begin(leaving), parts.bytes(leaving)};
    const In in{wire.below(1), slot, data + parts.begin(coming), parts.bytes(coming), Take::combine_left};
    co_await wire.swap(out, in);
  }
}

}  // namespace polder::coll
