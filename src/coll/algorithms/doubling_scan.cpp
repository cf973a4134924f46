// Scan by doubling: after round k a member has what it and the 2^(k+1) - 1 members before it make. ceil(log2 N) rounds
// of S bytes: ceil(lg N) (L + 2o + SG + Sy). In ascending order. Hillis, Steele 1986.
#include "coll/algorithms/algorithms.hpp"
#include "coll/algorithms/two_places.hpp"

#include <bit>

namespace polder::coll {

Task doubling_scan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const std::size_t bytes = count * wire.elements.size;
  TwoPlaces sum(send, receive, wire.scratch(bytes), unsigned(std::bit_width(wire.me)));
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank distance = Rank{1} << k;
    const bool sends = distance < wire.size - wire.me, takes = distance <= wire.me;
    const Slot slot = wire.slots.from_below(k);
    Out out{wire.me + distance, slot, sum.vector(), bytes};
    In in{wire.me - distance, slot, sum.next(), bytes, Take::combine_left, sum.vector()};
    const std::span<Out> outs(&out, std::size_t(sends));
    const std::span<In> ins(&in, std::size_t(takes));
    co_await wire.all(outs, ins);
    if (takes) sum.move();
  }
  wire.copy(receive, sum.vector(), bytes);
}

}  // namespace polder::coll
