// Allgather over nodes: the first of a node gathers the parts of all, those exchange what they have, and each tells its node. The
// network carries each part once for each node, and not for each member. For N nodes: an allgather of N between two turns on a
// node. Where the members of nodes do not follow each other, each puts the parts in their order behind it: a copy of S bytes more.
// Hierarchical collectives: Karonis et al. 2000; Träff 2006.
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

namespace polder::coll {

Task two_level_allgather(Node& node, Wire* leaders, AllgatherOfWire between, PartsByNode parts, const std::byte* mine,
                         std::byte* all) {
  std::byte* const by_node = parts.is_in_order() ? all : node.scratch(parts.total());
  const Parts beside = parts.of_node(node.size);
  if (node.size > 1)
    co_await node_gather(node, 0, beside, mine, by_node);
  else if (beside.bytes(0) != 0)
    util::copy(by_node + beside.begin(0), mine, beside.bytes(0));
  if (leaders != nullptr) co_await between(*leaders, parts.of_nodes(), by_node);
  if (node.size > 1) co_await node_broadcast(node, 0, by_node, parts.total());
  if (!parts.is_in_order()) parts.put_in_order(by_node, all);
}

}  // namespace polder::coll
