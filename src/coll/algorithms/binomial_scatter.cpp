// Binomial tree scatter of parts that all members know: a gather backwards. ceil(log2 N) rounds, S of all parts:
// ceil(lg N) (L + 2o) + S (N-1)/N G. Thakur, Rabenseifner, Gropp 2005.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>

namespace polder::coll {

Task binomial_scatter(Wire& wire, Rank root, Parts parts, const std::byte* all, std::byte* mine) {
  const Rank place = wire.below(root);
  std::byte* const tree = wire.scratch(parts.total());
  unsigned k = 0;
  while (k < wire.slots.rounds() && (place >> k & 1) == 0) ++k;
  if (place == 0) {
    const std::size_t begin = parts.begin(root), total = parts.total();
    wire.copy(tree, all + begin, total - begin);
    wire.copy(tree + (total - begin), all, begin);
  } else {
    const Rank distance = Rank{1} << k, here = std::min(distance, wire.size - place);
    co_await wire.receive(wire.below(distance), wire.slots.from_below(k), tree, parts.round(wire.me, here));
  }
  while (k-- > 0) {
    const Rank distance = Rank{1} << k;
    if (distance >= wire.size - place) continue;
    const Rank child = wire.above(distance), below_it = std::min(distance, wire.size - place - distance);
    co_await wire.send(child, wire.slots.from_below(k), tree + parts.round(wire.me, distance),
                       parts.round(child, below_it));
  }
  wire.copy(mine, tree, parts.bytes(wire.me));
}

}  // namespace polder::coll
