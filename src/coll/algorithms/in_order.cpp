#include "coll/algorithms/in_order.hpp"

#include "util/assert.hpp"

namespace polder::coll {

Task combine_in_order(Wire& wire, std::span<Out> outs, const std::byte* mine, std::byte* into, std::size_t bytes) {
  POLDER_ASSERT(wire.slots.near() >= wire.size - 1 && (mine != into || combines_in_place(wire)));
  for (Rank member = 0; member < wire.size; ++member) {
    if (member == wire.me) {
      if (member == 0) wire.copy(into, mine, bytes);
      if (member != 0 && mine != into) co_await wire.combine(into, mine, into, bytes);
      continue;
    }
    const Slot slot = wire.slots.from_near(wire.below(member));
    const Take first = mine == into ? Take::combine_left : Take::copy;
    In in{member, slot, into, bytes, member == 0 ? first : Take::combine_right};
    const std::span<In> ins(&in, 1);
    co_await wire.meanwhile(outs, ins);  // the others may be waiting for ours before they read what we have sent
  }
  co_await wire.all(outs, {});
}

}  // namespace polder::coll
