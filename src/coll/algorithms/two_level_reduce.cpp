// Reduce over nodes: members reduce to the first of their node, those reduce among themselves to that of the root's node, which
// hands it over if it is not the root. The network carries one vector for each node, and not for each member. For N nodes of n
// members: the turns of a reduce on a node, and behind it a reduce of N. Hierarchical collectives: Karonis et al. 2000; Zhu et al. 2009.
//
// In ascending order of members, node by node, nodes in the order of their first members.
#include "coll/algorithms/node_algorithms.hpp"

#include <vector>

namespace polder::coll {
namespace {

// From the first member of a node to another one: a gather of one part.
Task hand_over(Node& node, Rank to, const std::byte* from, std::byte* into, std::size_t bytes) {
  std::vector<std::size_t> begins(node.size + 1, bytes);
  begins.front() = 0;
  co_await node_gather(node, to, Parts(begins.data(), node.size, 1), from, into);
}

}  // namespace

// A reduction of nothing still is a meeting.
Task reduce_to_leader(Node& node, const std::byte* send, std::byte* receive, std::size_t bytes) {
  // From here on a meeting more is worth that vectors are read where they lie.
  constexpr std::size_t kSliced = std::size_t{128} << 10;  // bytes
  if (bytes == 0) return node_barrier(node);
  return bytes < kSliced ? late_tree_reduce(node, 0, send, receive, bytes)
                         : claimed_slices_reduce(node, 0, send, receive, bytes);
}

Task two_level_reduce(Node& node, Wire* leaders, ReduceOfWire between, NodeOfRoot root, const std::byte* send,
                      std::byte* receive, std::size_t count) {
  const std::size_t bytes = count * node.elements.size;
  const bool is_root = root.is_here && root.beside == node.me;
  std::byte* result = receive;
  if (leaders != nullptr && !is_root) result = leaders->scratch(bytes);
  const std::byte* ours = send;
  if (node.size > 1) {
    co_await reduce_to_leader(node, send, result, bytes);
    ours = result;
  }
  if (leaders != nullptr) {
    leaders->fail(node.failure());
    co_await between(*leaders, root.node, ours, result, count);
    node.fail(leaders->failure());
  }
  if (root.is_here && root.beside != 0) co_await hand_over(node, root.beside, result, receive, bytes);
}

}  // namespace polder::coll
