// Allreduce over nodes: members reduce to the first of their node, those reduce among themselves, each gives the result
// to its node. The network carries one vector for each node, and not for each member. For N nodes of n members: the
// turns of a reduce and a broadcast on a node, and between them an allreduce of N. Hierarchical collectives: Karonis et
// al. 2000; Zhu et al. 2009.
//
// In ascending order of members, node by node, nodes in the order of their first members.
#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

Task two_level_allreduce(Node& node, Wire* leaders, AllreduceOfWire between, const std::byte* send, std::byte* receive,
                         std::size_t count) {
  const std::size_t bytes = count * node.elements.size;
  if (node.size > 1) co_await reduce_on_node(node, 0, send, receive, bytes);
  if (leaders != nullptr) {
    leaders->fail(node.failure());
    co_await between(*leaders, node.size > 1 ? receive : send, receive, count);
    node.fail(leaders->failure());
  }
  if (node.size > 1) co_await node_broadcast(node, 0, receive, bytes);
}

}  // namespace polder::coll
