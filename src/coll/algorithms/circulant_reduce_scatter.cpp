// Reduce-scatter on a circulant graph. ceil(log2 N) rounds for any N, S (N-1)/N bytes from each:
// ceil(lg N) (L + 2o) + S (N-1)/N (G + y). The least volume and the fewest rounds there are. Blocks are combined in
// rotated order, so the function has to commute. Traff 2024.
//
// `turned` holds the parts that are left, this member's own first: before round k ceil(N / 2^k) of them. The farther half goes to the
// member that is half as far away as its owner, unless it is empty: both know the parts of all. In the first round what goes and what
// it is combined with are read where they lie in `data`, unless they go over its end.
#include "coll/algorithms/circulant.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

// Where `number` parts from the one `distance` above the own on lie together: in `data`, or in `turned` if they go over its end.
const std::byte* together(Wire& wire, const Parts& parts, const std::byte* data, std::byte* turned, Rank distance,
                          Rank number) {
  const Rank first = wire.above(distance);
  return number <= wire.size - first ? data + parts.begin(first) : turn(wire, parts, data, turned, distance, number);
}

}  // namespace

std::byte* turn(Wire& wire, const Parts& parts, const std::byte* data, std::byte* turned, Rank distance, Rank number) {
  std::byte* const place = turned + parts.round(wire.me, distance);
  const Rank first = wire.above(distance), before_end = std::min(number, wire.size - first);
  const std::size_t bytes = parts.bytes(first, first + before_end);
  wire.copy(place, data + parts.begin(first), bytes);
  wire.copy(place + bytes, data, parts.bytes(0, number - before_end));
  return place;
}

Task circulant_halving(Wire& wire, Parts parts, const std::byte* data, std::byte* turned) {
  if (wire.size == 1) turn(wire, parts, data, turned, 0, 1);
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank left = circulant_left(wire.size, k), half = circulant_left(wire.size, k + 1);
    const Rank from = wire.below(half), to = wire.above(half);
    const Slot slot = wire.slots.from_half_below(k);
    const std::size_t near = parts.round(wire.me, half);
    Out out{to, slot, turned + near, parts.round(wire.me, left) - near};
    In in{from, slot, turned, parts.round(wire.me, left - half), Take::combine_right};
    if (k == 0) {
      const Rank going = left - half;
      out.data = together(wire, parts, data, turned, half, going);
      in.own = together(wire, parts, data, turned, 0, going);
      if (going < half) turn(wire, parts, data, turned, going, 1);  // which waits for the next round
    }
    if (out.bytes != 0 && in.bytes != 0)
      co_await wire.swap(out, in);
    else if (out.bytes != 0)
      co_await wire.send(out.to, slot, out.data, out.bytes);
    else if (in.bytes != 0)
      co_await wire.receive(in.from, slot, in.into, in.bytes, in.take, in.own);
  }
}

Task circulant_reduce_scatter(Wire& wire, Parts parts, const std::byte* data, std::byte* part) {
  std::byte* const turned = wire.scratch(parts.total());
  co_await circulant_halving(wire, parts, data, turned);
  wire.copy(part, turned, parts.bytes(wire.me));
}

}  // namespace polder::coll
