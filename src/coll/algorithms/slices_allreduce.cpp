// Allreduce by slices: each member combines one part of all vectors in ascending order and sends it to all. 2 rounds,
// 2 S (N-1)/N bytes from each: 2 (L + 2o + (N-2) max(g, o, SG/N) + SG/N) + S (N-1)/N y. The least volume, and functions
// need not commute. Few members. Rabenseifner 2004, without the rounds. REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task slices_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const Parts parts(count, wire.size, wire.elements.size);
  co_await slices_reduce_scatter(wire, parts, send, receive + parts.begin(wire.me));
  co_await spread_allgather(wire, parts, receive);
}

}  // namespace polder::coll
