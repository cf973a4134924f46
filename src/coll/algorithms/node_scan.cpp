// Scans. Short ones by a board: all show theirs, each reads those of the members below it and combines them. One turn, of
// which the first member waits for nobody; (me + 1) S bytes read by each.
//
// Long ones along a chain of desks: each member combines what lies on the desk of the one below with its own vector, onto
// its own desk, and takes its result; the one above takes a piece while the next ones are made, up to kDesks ahead. Each
// desk has one reader, so nobody waits for others than its neighbours. One turn; (N-1) S bytes combined, N S taken out. The
// chain is that of Watts, van de Geijn 1995.
//
// In ascending order.
#include "coll/algorithms/node_algorithms.hpp"

#include <algorithm>

namespace polder::coll {

Task board_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes) {
  co_await node.next();
  node.show(send, bytes);
  if (node.me + 1 < node.size) node.ring_from(node.me + 1);
  const Rank end = own == Including::own ? node.me + 1 : node.me;
  if (node.me != 0) co_await node.all_below_shown();
  if (end != 0 && bytes != 0) std::memcpy(receive, node.line(0).content, bytes);
  for (Rank member = 1; member < end; ++member)
    co_await node.combine(receive, node.line(member).content, receive, bytes);
  node.leave();
}

namespace {

// What lies on the own desk goes to the one above.
void hand_on(Node& node) {
  node.show();
  if (node.me + 1 < node.size) node.ring(node.me + 1);
}

Task first_piece(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes,
                 std::size_t all) {
  co_await node.next_with_desk(node.me + 1);
  util::copy_block(node.desk(node.me), send, bytes);
  hand_on(node);
  if (own == Including::own && receive != send) Node::take(receive, send, bytes, all);
  node.leave();
}

// `receive` may be `send`: it is written when that has been read.
Task later_piece(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes,
                 std::size_t all) {
  const bool is_last = node.me + 1 == node.size;
  co_await node.next_with_desk(is_last ? node.me : node.me + 1);
  co_await node.shown(node.me - 1);
  const std::byte *const below = node.desk(node.me - 1), *result = below;
  if (!is_last || own == Including::own) {
    co_await node.combine(below, send, node.desk(node.me), bytes);
    if (own == Including::own) result = node.desk(node.me);
  }
  hand_on(node);
  Node::take(receive, result, bytes, all);
  node.leave();
  node.ring(node.me - 1);
}

}  // namespace

Task desk_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes) {
  const std::size_t step = node.whole(Node::kDesk);
  for (std::size_t at = 0; at < bytes; at += step) {
    const std::size_t piece = std::min(step, bytes - at);
    if (node.me == 0)
      co_await first_piece(node, own, send + at, receive + at, piece, bytes);
    else
      co_await later_piece(node, own, send + at, receive + at, piece, bytes);
  }
}

}  // namespace polder::coll
