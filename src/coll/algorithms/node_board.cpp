// Vectors of a line: all show theirs, who is to have the result, or a part of it, reads all and combines them; the others
// wait for nobody. One turn, N S bytes read by each who has the result.
#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

Task board_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  co_await node.next();
  node.show(send, bytes);
  const bool all = root == kEverybody;
  if (all)
    node.ring_all();
  else if (node.me != root)
    node.ring(root);
  if (all || node.me == root) {
    co_await node.all_shown();
    if (bytes != 0) std::memcpy(receive, node.line(0).content, bytes);
    for (Rank member = 1; member < node.size; ++member)
      co_await node.combine(receive, node.line(member).content, receive, bytes);
    node.all_met();
  }
  node.leave();
}

Task board_reduce_scatter(Node& node, Parts parts, const std::byte* data, std::byte* part) {
  co_await node.next();
  node.show(data, parts.total());
  if (parts.bytes(node.me) != parts.total()) node.ring_all();
  if (const std::size_t bytes = parts.bytes(node.me), begin = parts.begin(node.me); bytes != 0) {
    co_await node.all_shown();
    std::memcpy(part, node.line(0).content + begin, bytes);
    for (Rank member = 1; member < node.size; ++member)
      co_await node.combine(part, node.line(member).content + begin, part, bytes);
    node.all_met();
  }
  node.leave();
}

}  // namespace polder::coll
