// Few members: all show, all look: one hand-over of a line. More: all add to one counter, the last one lets the others
// go: one turn each.
#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

Task node_barrier(Node& node) {
  constexpr Rank kFew = 4;
  co_await node.next();
  node.show();
  if (node.size <= kFew) {
    node.ring_all();
    co_await node.all_shown();
  } else if (node.common().arrived.fetch_add(1, std::memory_order_acq_rel) % node.size == node.size - 1) {
    node.common().published.store(node.piece(), std::memory_order_release);
    node.ring_all();
  } else {
    co_await node.reached(node.common().published, node.piece());
  }
  node.all_met();
  node.leave();
}

}  // namespace polder::coll
