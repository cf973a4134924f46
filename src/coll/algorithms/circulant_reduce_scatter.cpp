// Reduce-scatter on a circulant graph. ceil(log2 N) rounds for any N, S (N-1)/N bytes from each:
// ceil(lg N) (L + 2o) + S (N-1)/N (G + y). The least volume and the fewest rounds there are. Blocks are combined in
// rotated order, so the function has to commute. Traff 2024.
//
// `turned` holds the parts of all, this member's own first. Before round k ceil(N / 2^k) of them are left; the farther
// half goes to the member that is half as far away as its owner, unless it is empty: both know the parts of all.
#include "coll/algorithms/circulant.hpp"

namespace polder::coll {

Task circulant_halving(Wire& wire, Parts parts, std::byte* turned) {
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank left = circulant_left(wire.size, k), half = circulant_left(wire.size, k + 1);
    const Rank from = wire.below(half), to = wire.above(half);
    const Slot slot = wire.slots.from_half_below(k);
    const std::size_t near = parts.round(wire.me, half);
    const Out out{to, slot, turned + near, parts.round(wire.me, left) - near};
    const In in{from, slot, turned, parts.round(wire.me, left - half), Take::combine_right};
    if (out.bytes != 0 && in.bytes != 0)
      co_await wire.swap(out, in);
    else if (out.bytes != 0)
      co_await wire.send(out.to, slot, out.data, out.bytes);
    else if (in.bytes != 0)
      co_await wire.receive(in.from, slot, in.into, in.bytes, in.take);
  }
}

void turn(Wire& wire, const Parts& parts, const std::byte* data, std::byte* turned) {
  const std::size_t begin = parts.begin(wire.me), total = parts.total();
  wire.copy(turned, data + begin, total - begin);
  wire.copy(turned + (total - begin), data, begin);
}

Task circulant_reduce_scatter(Wire& wire, Parts parts, const std::byte* data, std::byte* part) {
  std::byte* const turned = wire.scratch(parts.total());
  turn(wire, parts, data, turned);
  co_await circulant_halving(wire, parts, turned);
  wire.copy(part, turned, parts.bytes(wire.me));
}

}  // namespace polder::coll
