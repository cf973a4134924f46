// Barrier over nodes: members meet on their node, the first ones of nodes meet each other, and each tells its node. For N nodes:
// ceil(log2 N) rounds over the network between two turns on a node. Hierarchical collectives: Karonis et al. 2000.
#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

Task two_level_barrier(Node& node, Wire* leaders) {
  if (node.size > 1) co_await node_barrier(node);
  if (leaders != nullptr) co_await dissemination_barrier(*leaders);
  if (node.size > 1) co_await node_broadcast(node, 0, nullptr, 0);
}

}  // namespace polder::coll
