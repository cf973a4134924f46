// Reduce by slices: each member combines one part of all vectors in ascending order and sends it to the root. 2 rounds,
// 2 S (N-1)/N bytes: 2 (L + 2o + (N-2) max(g, o, SG/N) + SG/N) + S (N-1)/N y. Few members. Rabenseifner 2004, without the
// rounds. REQUIRES: size <= Slots::kNear + 1.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task slices_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count) {
  const Parts parts(count, wire.size, wire.elements.size);
  std::byte* const part = wire.me == root ? receive + parts.begin(root) : wire.scratch(parts.bytes(wire.me));
  co_await slices_reduce_scatter(wire, parts, send, part);
  co_await spread_gather(wire, root, parts, part, receive);
}

}  // namespace polder::coll
