// Allreduce on a circulant graph: its reduce-scatter, then its allgather. 2 ceil(log2 N) rounds for any N,
// 2 S (N-1)/N bytes from each: 2 ceil(lg N) (L + 2o) + S (N-1)/N (2G + y). Long vectors of commuting functions.
// Traff 2024.
#include "coll/algorithms/circulant.hpp"

namespace polder::coll {

Task circulant_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const Parts parts(count, wire.size, wire.elements.size);
  std::byte* const turned = wire.scratch(parts.total());
  co_await circulant_halving(wire, parts, send, turned);
  co_await circulant_growing(wire, parts, turned);
  turn_back(wire, parts, turned, receive);
}

}  // namespace polder::coll
