// Reduce to member 0, broadcast from it. 2 ceil(log2 N) rounds of S bytes: ceil(lg N) (2 (L + 2o + SG) + Sy). The
// fewest letters, 2 (N-1) in all, so where members share cores or a slow network; in ascending order.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task reduce_broadcast_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  co_await binomial_reduce(wire, 0, send, receive, count);
  co_await binomial_broadcast(wire, 0, receive, count * wire.elements.size);
}

}  // namespace polder::coll
