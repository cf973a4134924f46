// Vectors of a line: all show theirs, who is to have the result reads all and combines them. One turn, N S bytes read by
// each who has the result.
#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

Task board_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  co_await node.next();
  node.show(send, bytes);
  const bool all = root == kEverybody;
  if (all || node.me == root) {
    if (all) node.ring_all();
    co_await node.all_shown();
    if (bytes != 0) std::memcpy(receive, node.line(0).content, bytes);
    for (Rank member = 1; member < node.size; ++member)
      co_await node.combine(receive, node.line(member).content, receive, bytes);
    node.all_met();
  }
  node.leave();
  if (!all) node.ring_all();
}

}  // namespace polder::coll
