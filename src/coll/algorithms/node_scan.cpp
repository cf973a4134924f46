// Scans.
//
// Short ones look back: each member shows its own vector in one piece, and once it has the result of all up to itself, that in
// the next. It begins with the result of the nearest member below that has one, and combines the vectors of those between:
// mostly of nobody, so that one line is read, but a member whose neighbour has no core waits for its vector only, as in
// a board. One turn; (N-1) S bytes combined and 2 N S shown. Decoupled look-back: Merrill, Garland 2016; here from the nearest
// result upwards, because the same elements are to give the same bits.
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
namespace {

// Waits until the result of some member below is there, and the vectors of all between it and this one; the first member's
// vector is its result. A member that has a result has seen all vectors below it, so none waits for the result alone, and none is woken for it.
class LookBack : public WaitFor<LookBack> {
 public:
  LookBack(Node& n, std::uint64_t own, Rank& nearest) : node(n), vectors(own), base(nearest) {}
  bool is_ready() {
    for (base = node.me - 1; base != 0 && !node.has_shown(base, vectors + 1); --base)
      if (!node.has_shown(base, vectors)) return false;
    return base != 0 || node.has_shown(0, vectors);
  }

 private:
  Node& node;
  std::uint64_t vectors;  // their piece; the next one is that of the results
  Rank& base;
};

}  // namespace

Task look_back_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes) {
  const bool is_last = node.me + 1 == node.size;
  const std::uint64_t pieces = node.size > 2 ? 2 : 1;  // of two members none has a result that another one needs
  std::byte mine[Node::kInline];
  if (bytes != 0) std::memcpy(mine, send, bytes);
  co_await node.next(Node::kLines);
  const std::uint64_t vectors = node.piece();
  if (!is_last) {
    node.show(mine, bytes, 0, node.me == 0 ? pieces : 1);
    node.ring_from(node.me + 1);
  }
  if (pieces == 2) co_await node.next(Node::kLines);
  if (node.me == 0) {
    if (own == Including::own && bytes != 0) std::memcpy(receive, mine, bytes);
    co_return node.leave();
  }
  Rank base = 0;
  co_await LookBack(node, vectors, base);
  const std::uint64_t results = base == 0 ? vectors : vectors + 1;
  if (bytes != 0) std::memcpy(receive, node.line(base, results).content, bytes);
  // A neighbour in the middle that is ahead has mostly shown its result of the next scan, too.
  if (base != 0 && base + 1 == node.me) util::prefetch_to_read(&node.line(base, results + 2));
  for (Rank member = base + 1; member < node.me; ++member)
    co_await node.combine(receive, node.line(member, vectors).content, receive, bytes);
  std::byte below_and_mine[Node::kInline];
  std::byte* const result = own == Including::own ? receive : below_and_mine;
  if (own == Including::own || !is_last) co_await node.combine(receive, mine, result, bytes);
  if (!is_last) node.show(result, bytes);
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
  node.put(node.desk(node.me), send, bytes);
  hand_on(node);
  if (own == Including::own && receive != send) node.take(receive, send, bytes, all);
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
  node.take(receive, result, bytes, all);
  node.leave();
  node.ring(node.me - 1);
}

// What the second member gets is the first one's vector.
Task exscan_of_two(Node& node, const std::byte* send, std::byte* receive, std::size_t bytes) {
  static constexpr std::size_t kAllToTheSecond[] = {0, 0, 1};
  return node_scatter(node, 0, Parts(kAllToTheSecond, 2, bytes), send, receive);
}

}  // namespace

Task desk_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes) {
  if (node.size == 2 && own == Including::others_only && bytes >= kDirect) {
    co_await exscan_of_two(node, send, receive, bytes);
    co_return;
  }
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
