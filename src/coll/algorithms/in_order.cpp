#include "coll/algorithms/in_order.hpp"

#include "util/assert.hpp"

namespace polder::coll {

Task combine_in_order(Wire& wire, std::span<Out> outs, const std::byte* mine, std::byte* into, std::size_t bytes) {
  POLDER_ASSERT(wire.slots.near() >= wire.size - 1 && (mine != into || combines_in_place(wire)));
  if (wire.size == 1) wire.copy(into, mine, bytes);
  for (Rank member = 0; member < wire.size; ++member) {
    if (member == wire.me) {
      if (member > 1) co_await wire.combine(into, mine, into, bytes);
      continue;
    }
    In in{member, wire.slots.from_near(wire.below(member)), into, bytes};
    if (member != 0) in.take = Take::combine_right;
    if (member < 2 && wire.me < 2) {  // the own one meets the other of the first two while that comes
      in.take = member == 0 ? Take::combine_left : Take::combine_right;
      if (mine != into) in.own = mine;
    }
    const std::span<In> ins(&in, 1);
    co_await wire.meanwhile(outs, ins);  // the others may be waiting for ours before they read what we have sent
  }
  co_await wire.all(outs, {});
}

}  // namespace polder::coll
