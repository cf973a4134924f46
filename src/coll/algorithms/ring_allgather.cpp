// Ring allgather: each part goes once round. N - 1 rounds, S (N-1)/N bytes from each, S of all parts:
// (N-1) (L + 2o) + S (N-1)/N G. Long or unequal parts: each member speaks to its neighbours only.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task ring_allgather(Wire& wire, Parts parts, std::byte* all) {
  const Rank n = wire.size;
  for (std::uint64_t k = 0; k + 1 < n; ++k) {
    const std::uint64_t leaving = wire.me + n - k, coming = leaving + n - 1;
    const Slot slot = wire.slots.from_below(0);
    const Out out{wire.above(1), slot, all + parts.begin(leaving), parts.bytes(leaving)};
    const In in{wire.below(1), slot, all + parts.begin(coming), parts.bytes(coming)};
    co_await wire.swap(out, in);
  }
}

}  // namespace polder::coll
