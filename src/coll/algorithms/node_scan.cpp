// Scans.
//
// Short ones look back: each member shows its own vector, and once it has the result of all up to itself, that: behind the vector in
// the same line if both fit, and else in the next piece. It begins with the result of the nearest member below that has one, and
// combines the vectors of those between: mostly of nobody, so that one line is read, but a member whose neighbour has no core waits for
// its vector only, as in a board. One turn; (N-1) S bytes combined and 2 N S shown. Decoupled look-back: Merrill, Garland 2016; here
// from the nearest result upwards, because the same elements are to give the same bits.
//
// Long ones along a chain of desks: each member combines what lies on the desk of the one below with its own vector, onto
// its own desk, and takes its result; the one above takes a piece while the next ones are made, up to kDesks ahead. Each
// desk has one reader, so nobody waits for others than its neighbours. One turn; (N-1) S bytes combined, N S taken out. The
// chain is that of Watts, van de Geijn 1995.
//
// In ascending order.
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::coll {
namespace {

// Where members show their vectors and results. REQUIRES: bytes <= Node::kInline.
class ScanLines {
 public:
  // Of the piece that comes next.
  ScanLines(Node& n, std::size_t b) : node(n), vectors(n.piece() + 1), bytes(b), in_line(b <= kBoth) {}

  // Of two members none has a result that another one needs.
  std::uint64_t pieces() const { return in_line || node.size == 2 ? 1 : 2; }
  const std::byte* vector(Rank member) const { return node.line(member, vectors).content; }
  // The first member's vector is its result.
  const std::byte* result(Rank member) const {
    if (member == 0) return vector(0);
    return in_line ? vector(member) + kResult : node.line(member, vectors + 1).content;
  }
  bool has_vector(Rank member) const { return node.has_shown(member, vectors); }
  bool has_result(Rank member) const {
    if (member == 0 || in_line) return has_vector(member) && (member == 0 || is_behind_vector(member));
    return node.has_shown(member, vectors + 1);
  }
  // The line of the next scan's result, if that goes to the same lane.
  const void* next_result(Rank member) const { return &node.line(member, vectors + 2 * pieces() - 1); }

  void show_vector(const std::byte* mine, std::uint64_t next) {
    std::byte content[Node::kInline];
    util::copy(content, mine, bytes);
    // Else what the line held before could say that the result is there.
    std::memset(content + kPiece, 0, in_line ? sizeof vectors : 0);
    node.show(content, in_line ? kResult : bytes, 0, next);
  }
  void show_result(const std::byte* result) {
    if (!in_line) return node.show(result, bytes);
    std::byte* const mine = node.memory(node.me).line[vectors % Node::kLines].content;
    util::copy(mine + kResult, result, bytes);
    util::tell_outside();
    piece_of_result(mine).store(vectors, std::memory_order_release);
  }

 private:
  // In a line: up to kBoth bytes of the vector, the number of the piece once the result is there, and the result.
  static constexpr std::size_t kBoth = 16, kPiece = kBoth, kResult = kPiece + sizeof(std::uint64_t);
  static_assert(kResult + kBoth <= Node::kInline && offsetof(Node::Line, content) % sizeof(std::uint64_t) == 0);

  static std::atomic_ref<std::uint64_t> piece_of_result(const std::byte* content) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(content) + kPiece));
  }
  bool is_behind_vector(Rank member) const {
    return piece_of_result(vector(member)).load(std::memory_order_acquire) == vectors;
  }

  Node& node;
  std::uint64_t vectors;  // their piece; the next one is that of results that do not fit behind them
  std::size_t bytes;
  bool in_line;
};

// Waits until the result of some member below is there, and the vectors of all between it and this one. A member that has a result
// has seen all vectors below it, so none waits for the result alone, and none is woken for it.
class LookBack : public WaitFor<LookBack> {
 public:
  LookBack(const ScanLines& s, Rank me, Rank& nearest) : shown(s), first(me - 1), base(nearest) {}
  bool is_ready() {
    for (base = first; !shown.has_result(base); --base)
      if (base == 0 || !shown.has_vector(base)) return false;
    return true;
  }

 private:
  const ScanLines& shown;
  Rank first;
  Rank& base;
};

}  // namespace

Task look_back_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes) {
  const bool is_last = node.me + 1 == node.size;
  std::byte mine[Node::kInline];
  util::copy(mine, send, bytes);
  ScanLines shown(node, bytes);
  co_await node.next(Node::kLines);
  if (!is_last) {
    shown.show_vector(mine, node.me == 0 ? shown.pieces() : 1);
    node.ring_from(node.me + 1);
  }
  if (shown.pieces() == 2) co_await node.next(Node::kLines);
  if (node.me == 0) {
    if (own == Including::own) util::copy(receive, mine, bytes);
    co_return node.leave();
  }
  Rank base = 0;
  co_await LookBack(shown, node.me, base);
  util::copy(receive, shown.result(base), bytes);
  // A neighbour in the middle that is ahead has mostly shown its result of the next scan, too.
  if (base != 0 && base + 1 == node.me) util::prefetch_to_read(shown.next_result(base));
  for (Rank member = base + 1; member < node.me; ++member)
    co_await node.combine(receive, shown.vector(member), receive, bytes);
  std::byte below_and_mine[Node::kInline];
  std::byte* const result = own == Including::own ? receive : below_and_mine;
  if (own == Including::own || !is_last) co_await node.combine(receive, mine, result, bytes);
  if (!is_last) shown.show_result(result);
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
      co_await first_piece(node, own, send + at, own == Including::own ? receive + at : nullptr, piece, bytes);
    else
      co_await later_piece(node, own, send + at, receive + at, piece, bytes);
  }
}

}  // namespace polder::coll
