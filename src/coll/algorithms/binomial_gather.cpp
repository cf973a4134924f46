// Binomial tree gather of parts that all members know. ceil(log2 N) rounds; a member sends what its sub-tree has, S of
// all parts: ceil(lg N) (L + 2o) + S (N-1)/N G. Thakur, Rabenseifner, Gropp 2005.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>

namespace polder::coll {

Task binomial_gather(Wire& wire, Rank root, Parts parts, const std::byte* mine, std::byte* all) {
  const Rank place = wire.below(root);
  // The parts of a sub-tree lie side by side, beginning with this member's own, going round.
  std::byte* const tree = wire.scratch(parts.total());
  wire.copy(tree, mine, parts.bytes(wire.me));
  unsigned k = 0;
  for (; k < wire.slots.rounds() && (place >> k & 1) == 0; ++k) {
    const Rank distance = Rank{1} << k;
    if (distance >= wire.size - place) continue;
    const Rank child = wire.above(distance), below_it = std::min(distance, wire.size - place - distance);
    co_await wire.receive(child, wire.slots.from_above(k), tree + parts.round(wire.me, distance),
                          parts.round(child, below_it));
  }
  if (place != 0) {
    const Rank distance = Rank{1} << k, here = std::min(distance, wire.size - place);
    co_await wire.send(wire.below(distance), wire.slots.from_above(k), tree, parts.round(wire.me, here));
    co_return;
  }
  const std::size_t begin = parts.begin(root), total = parts.total();
  wire.copy(all + begin, tree, total - begin);
  wire.copy(all, tree + (total - begin), begin);
}

}  // namespace polder::coll
