// Broadcast of long data: scatter it by a binomial tree, then gather the parts at all members on a circulant graph.
// 2 ceil(log2 N) rounds, 2 S (N-1)/N bytes: 2 ceil(lg N) (L + 2o) + 2 S (N-1)/N G. Barnett et al. (van de Geijn) 1994;
// Thakur, Rabenseifner, Gropp 2005.
#include "coll/algorithms/circulant.hpp"

#include <algorithm>

namespace polder::coll {

Task scatter_allgather_broadcast(Wire& wire, Rank root, std::byte* data, std::size_t bytes) {
  const Parts parts(bytes, wire.size, 1);
  const Rank place = wire.below(root);
  // What a sub-tree is sent begins with this member's own part, as the allgather wants it.
  std::byte* const turned = wire.scratch(bytes);
  unsigned k = 0;
  while (k < wire.slots.rounds() && (place >> k & 1) == 0) ++k;
  if (place == 0) turn(wire, parts, data, turned, 0, wire.size);
  if (place != 0) {
    const Rank distance = Rank{1} << k, here = std::min(distance, wire.size - place);
    co_await wire.receive(wire.below(distance), wire.slots.from_below(k), turned, parts.round(wire.me, here));
  }
  while (k-- > 0) {
    const Rank distance = Rank{1} << k;
    if (distance >= wire.size - place) continue;
    const Rank child = wire.above(distance), below_it = std::min(distance, wire.size - place - distance);
    co_await wire.send(child, wire.slots.from_below(k), turned + parts.round(wire.me, distance),
                       parts.round(child, below_it));
  }
  co_await circulant_growing(wire, parts, turned);
  if (place != 0) turn_back(wire, parts, turned, data);
}

}  // namespace polder::coll
