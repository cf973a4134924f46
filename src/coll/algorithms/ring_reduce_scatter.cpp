// Ring reduce-scatter: each part goes once round, is combined on its way and ends at its owner. N - 1 rounds,
// S (N-1)/N bytes from each: (N-1) (L + 2o + S/N (G + y)). Each part is combined in an order of its own.
// Patarasuk, Yuan 2009.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task ring_reduce_scatter(Wire& wire, Parts parts, const std::byte* send, std::byte* sums) {
  const Rank n = wire.size;
  if (n == 1) wire.copy(sums, send, parts.total());
  const Slot slot = wire.slots.from_below(0);
  const std::byte* from = send;  // of what comes in one round and leaves in the next
  for (std::uint64_t k = 1; k < n; ++k, from = sums) {
    const std::uint64_t leaving = wire.me + n - k, coming = leaving + n - 1;
    const Out out{wire.above(1), slot, from + parts.begin(leaving), parts.bytes(leaving)};
    In in{wire.below(1), slot, sums + parts.begin(coming), parts.bytes(coming), Take::combine_left};
    if (send != sums) in.own = send + parts.begin(coming);
    co_await wire.swap(out, in);
  }
}

}  // namespace polder::coll
