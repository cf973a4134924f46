// Segmented ring allreduce: the ring's reduce-scatter, then its allgather. 2 (N-1) rounds, 2 S (N-1)/N bytes from each:
// 2 (N-1) (L + 2o + SG/N) + S (N-1)/N y. Each member speaks to its neighbours only. Patarasuk, Yuan 2009.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task ring_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const Parts parts(count, wire.size, wire.elements.size);
  co_await ring_reduce_scatter(wire, parts, send, receive);
  co_await ring_allgather(wire, parts, receive);
}

}  // namespace polder::coll
