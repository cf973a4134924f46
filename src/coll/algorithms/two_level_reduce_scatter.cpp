// Reduce-scatter over nodes: members reduce to the first of their node, those exchange what the nodes of the others get, and each deals
// its node's parts out. The network carries the parts of a node once from each other one, and not from each member. For N nodes of n
// members: a reduce-scatter of N between the turns of a reduce and a scatter on a node; the first of a node moves S bytes alone.
// Hierarchical collectives: Karonis et al. 2000; Zhu et al. 2009.
//
// In ascending order of members on a node. Where the members of nodes do not follow each other the first one puts the parts in the
// order of nodes: a copy of S bytes more.
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

namespace polder::coll {

Task two_level_reduce_scatter(Node& node, Wire* leaders, ReduceScatterOfWire between, PartsByNode parts,
                              const std::byte* send, std::byte* part) {
  const Parts beside = parts.alone_of_node();
  const std::byte* ours = send;
  std::byte* sums = nullptr;  // at the first member: of all parts, and then those of the node
  if (node.size > 1) {
    if (leaders != nullptr) sums = leaders->scratch(parts.total());
    co_await reduce_on_node(node, 0, send, sums, parts.total());
    ours = sums;
  }
  if (leaders != nullptr) {
    leaders->fail(node.failure());
    if (!parts.is_in_order()) {
      sums = leaders->scratch(parts.total());
      parts.put_by_node(ours, sums);
      ours = sums;
    }
    if (node.size > 1) sums += parts.of_nodes().begin(leaders->me);
    co_await between(*leaders, parts.of_nodes(), ours, node.size > 1 ? sums : part);
    node.fail(leaders->failure());
  }
  // Who gets nothing waits for nobody.
  if (node.size > 1 && beside.total() != 0) co_await node_scatter(node, 0, beside, sums, part);
}

}  // namespace polder::coll
