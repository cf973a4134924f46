// Pipelined chain broadcast: each hands every piece on to the next as it comes. N - 2 + ceil(S / piece) rounds, S bytes
// to each member: (N - 2 + S / piece) (L + 2o + piece G), so about SG where S is long against N pieces. Few members,
// long vectors. Watts, van de Geijn 1995.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>

namespace polder::coll {

// What half a frame of the network holds, so that two letters fill one: with 64 kB most went in two frames, and took 1.1 to 1.4 times
// as long between hosts. A whole frame where the vector is so long that the pieces that are under way are few beside all.
std::size_t piece_of_chain(Rank members, std::size_t bytes) {
  constexpr std::size_t kLong = 8;
  return (bytes / members >= kLong * kLetterFrame ? kLetterFrame : kLetterFrame / 2) - kLetterHead;
}

Task chain_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes) {
  const std::size_t most = piece_of_chain(wire.size, bytes);
  const Rank place = wire.below(root);
  const Slot slot = wire.slots.from_below(0);
  std::byte* const all = static_cast<std::byte*>(data);
  for (std::size_t at = 0; at < bytes; at += most) {
    const std::size_t piece = std::min(most, bytes - at);
    if (place != 0) co_await wire.receive(wire.below(1), slot, all + at, piece);
    if (place + 1 < wire.size) co_await wire.send(wire.above(1), slot, all + at, piece);
  }
}

}  // namespace polder::coll
