// Alltoall by Bruck's store and forward: block c waits in place (c - me) and goes 2^k on in each round k whose bit its
// place has. ceil(log2 N) rounds of about S N/2 bytes: ceil(lg N) (L + 2o) + lg N S N/2 G. Short blocks, many members.
// Bruck, Ho, Kipnis, Upfal, Weathersby 1997.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task bruck_alltoall(Wire& wire, const std::byte* send, std::byte* receive, std::size_t bytes) {
  const Rank n = wire.size;
  std::byte* const places = wire.scratch(3 * std::size_t{n} * bytes);
  std::byte *const packed = places + n * bytes, *const come = packed + n * bytes;
  for (Rank place = 0; place < n; ++place) wire.copy(places + place * bytes, send + wire.above(place) * bytes, bytes);
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank distance = Rank{1} << k;
    std::size_t moving = 0;
    for (Rank place = distance; place < n; place = (place + 1) | distance)
      wire.copy(packed + bytes * moving++, places + place * bytes, bytes);
    const Slot slot = wire.slots.from_below(k);
    const Out out{wire.above(distance), slot, packed, moving * bytes};
    const In in{wire.below(distance), slot, come, moving * bytes};
    co_await wire.swap(out, in);
    moving = 0;
    for (Rank place = distance; place < n; place = (place + 1) | distance)
      wire.copy(places + place * bytes, come + bytes * moving++, bytes);
  }
  for (Rank place = 0; place < n; ++place)
    wire.copy(receive + wire.below(place) * bytes, places + place * bytes, bytes);
}

}  // namespace polder::coll
