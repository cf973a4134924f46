// Reduce in the order of members for functions that do not commute, whatever the root: a binomial reduce to member 0,
// whose tree hands the result down to the root. ceil(lg N) (L + 2o + SG + Sy), and as many more hops as the root's
// number has bits set.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task ordered_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* sums, std::size_t count) {
  co_await binomial_reduce(wire, 0, send, sums, count);
  const std::size_t bytes = count * wire.elements.size;
  // The way from 0 to the root adds the root's bits, the highest one first.
  Rank on_way = 0;
  for (unsigned k = wire.slots.rounds(); k-- > 0;) {
    const Rank distance = Rank{1} << k;
    if ((root & distance) == 0) continue;
    const Rank next = on_way + distance;
    const Slot slot = wire.slots.from_below(k);
    if (wire.me == on_way) co_await wire.send(next, slot, sums, bytes);
    if (wire.me == next) co_await wire.receive(on_way, slot, sums, bytes);
    on_way = next;
  }
}

}  // namespace polder::coll
