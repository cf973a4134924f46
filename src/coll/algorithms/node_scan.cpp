// Scans of vectors of a line: all show theirs, each reads those of the members below it and combines them. One turn, of
// which the first member waits for nobody; (me + 1) S bytes read by each. In ascending order.
#include "coll/algorithms/node_algorithms.hpp"

namespace polder::coll {

Task board_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes) {
  co_await node.next();
  node.show(send, bytes);
  const Rank end = own == Including::own ? node.me + 1 : node.me;
  if (node.me != 0) {
    if (node.me + 1 < node.size) node.ring_all();
    co_await node.all_below_shown();
  }
  if (end != 0 && bytes != 0) std::memcpy(receive, node.line(0).content, bytes);
  for (Rank member = 1; member < end; ++member)
    co_await node.combine(receive, node.line(member).content, receive, bytes);
  node.leave();
  node.ring_all();
}

}  // namespace polder::coll
