// Reduce over nodes: members reduce to one of their node, which has the root's place there, and those among themselves to the root; if
// a node has no such place they are of another row, and that of the root's node hands the result over. The network carries one vector
// for each node, and not for each member. For N nodes of n members: the turns of a reduce on a node, and behind it a reduce of N.
// Hierarchical collectives: Karonis et al. 2000; Zhu et al. 2009. Rows are the lanes of Träff 2020.
//
// In ascending order of members, node by node, nodes in the order of their first members.
#include "coll/algorithms/node_algorithms.hpp"

#include <algorithm>
#include <vector>

namespace polder::coll {
namespace {

// From one member of a node to another: a gather of one part.
Task hand_over(Node& node, Rank giver, Rank to, const std::byte* from, std::byte* into, std::size_t bytes) {
  std::vector<std::size_t> begins(node.size + 1, bytes);
  std::fill_n(begins.begin(), giver + 1, 0);
  co_await node_gather(node, to, Parts(begins.data(), node.size, 1), from, into);
}

}  // namespace

// A reduction of nothing still is a meeting.
Task reduce_on_node(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  // From here on a meeting more is worth that vectors are read where they lie.
  constexpr std::size_t kSliced = std::size_t{128} << 10;  // bytes
  if (bytes == 0) return node_barrier(node);
  return bytes < kSliced ? late_tree_reduce(node, root, send, receive, bytes)
                         : claimed_slices_reduce(node, root, send, receive, bytes);
}

Task two_level_reduce(Node& node, Wire* row, ReduceOfWire between, NodeOfRoot root, const std::byte* send,
                      std::byte* receive, std::size_t count) {
  const std::size_t bytes = count * node.elements.size;
  const bool is_root = root.is_here && root.beside == node.me;
  const bool is_between = row != nullptr && node.me == root.row;
  std::byte* result = receive;
  if (is_between && !is_root) result = row->scratch(bytes);
  const std::byte* ours = send;
  if (node.size > 1) {
    co_await reduce_on_node(node, root.row, send, result, bytes);
    ours = result;
  }
  if (is_between) {
    row->fail(node.failure());
    co_await between(*row, root.node, ours, result, count);
    node.fail(row->failure());
  }
  if (root.is_here && root.beside != root.row) co_await hand_over(node, root.row, root.beside, result, receive, bytes);
}

}  // namespace polder::coll
