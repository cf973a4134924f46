// Pipelined chain broadcast: each hands every piece on to the next as it comes. N - 2 + ceil(S / piece) rounds, S bytes
// to each member: (N - 2 + S / piece) (L + 2o + piece G), so about SG where S is long against N pieces. Few members,
// long vectors. Watts, van de Geijn 1995.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>

namespace polder::coll {

// What half a frame of the network holds, so that two letters fill one: with 64 kB most went in two frames, and took 1.1 to 1.4 times
// as long between hosts. A whole frame, or two, where the vector is so long that the pieces that are under way are no more than all of it:
// past the cells (coll/letters/letter_window.hpp) each is a packet of its own, and between four hosts, paced by BBR, 1 MB took 0.7 of
// the time and 4 MB 0.65. With pieces half as long, those under way half of the vector, the pipeline fills sooner (by the formula above
// 1 MB by four takes 0.85 of the time where a piece costs nothing but its bytes); but each costs two system calls and a turn, and
// broadcasts of 512 kB and 1 MB between four hosts on two cores took 1.2 to 1.5 times as long.
std::size_t piece_of_chain(Rank members, std::size_t bytes) {
  const std::size_t share = bytes / members;
  if (share >= 2 * kLetterFrame) return 2 * kLetterFrame - kLetterHead;
  return (share >= kLetterFrame ? kLetterFrame : kLetterFrame / 2) - kLetterHead;
}

Task chain_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes) {
  const std::size_t piece = piece_of_chain(wire.size, bytes);
  const Rank place = wire.below(root);
  const Slot slot = wire.slots.from_below(0);
  Out out{.to = wire.above(1), .slot = slot, .data = data, .bytes = bytes, .step = piece};
  In in{.from = wire.below(1), .slot = slot, .into = data, .bytes = bytes, .step = piece};
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t end = std::min(done + piece, bytes);
    if (place != 0) co_await wire.take_up_to(in, end);
    done = place != 0 ? in.done : end;
    if (place + 1 < wire.size) co_await wire.send_up_to(out, done);
  }
}

}  // namespace polder::coll
