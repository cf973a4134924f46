// Pipelined chain broadcast: each hands every piece on to the next as it comes. N - 2 + ceil(S / piece) rounds, S bytes
// to each member: (N - 2 + S / piece) (L + 2o + piece G), so about SG where S is long against N pieces. Few members,
// long vectors. Watts, van de Geijn 1995.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>

namespace polder::coll {

Task chain_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const Rank place = wire.below(root);
  const Slot slot = wire.slots.from_below(0);
  std::byte* const all = static_cast<std::byte*>(data);
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    const std::size_t piece = std::min(kPiece, bytes - at);
    if (place != 0) co_await wire.receive(wire.below(1), slot, all + at, piece);
    if (place + 1 < wire.size) co_await wire.send(wire.above(1), slot, all + at, piece);
  }
}

}  // namespace polder::coll
