// All show what they send and each takes the blocks that are its own, beginning with the member above it. One turn in and
// one out, N S bytes read by all together where the memory is offered; else in pieces over desks, N S more written,
// kDesks ahead of who takes them.
// Blocks that differ: the first meeting shows a table of them. PiP-MColl (Huang et al. 2022).
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"
#include "util/copy.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

constexpr std::size_t kCacheLine = 64;

// Where the bytes for each of the others lie: in a line, or on a desk. The own block goes nowhere.
struct Slices {
  bool in_line;
  std::size_t step;  // bytes of a block in each piece

  Slices(const Node& node, std::size_t longest)
      : in_line(longest * (node.size - 1) <= Node::kInline),
        step(in_line ? longest : Node::kDesk / (node.size - 1) / kCacheLine * kCacheLine) {}

  // For `to`, of what `from` shows.
  std::size_t place(const Node& node, Rank from, Rank to) const {
    return (to > from ? to - from - 1 : to + node.size - from - 1) * step;
  }
  std::size_t bytes(const Block& block, std::size_t at) const {
    return at < block.bytes ? std::min(step, block.bytes - at) : 0;
  }
};

// Blocks differ: what a member shows besides its offer, and on its desk the table of blocks.
struct Sizes {
  Offer offer;
  std::uint64_t longest;
};

Task meet_with_sizes(Node& node, const std::byte* send, const Block* out, std::size_t& longest, bool& offered) {
  Sizes mine{{}, 0};
  std::size_t end = 0;
  for (Rank member = 0; member < node.size; ++member) {
    mine.longest = std::max<std::uint64_t>(mine.longest, out[member].bytes);
    end = std::max(end, out[member].begin + out[member].bytes);
  }
  mine.offer.kind = Offer::no_bytes;
  if (end >= kDirect) node.find_out_who_reads();
  if (end != 0) mine.offer = end < kDirect ? node.offer(send, end) : node.offer_for_copies(send, end);
  co_await node.next_with_desk();
  std::memcpy(node.desk(node.me), out, node.size * sizeof(Block));
  node.show(&mine, sizeof mine, wants_one_copy(node, 1, mine.offer, end));
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  OffersOfAll offers;
  for (Rank member = 0; member < node.size; ++member) {
    Sizes there;
    std::memcpy(&there, node.line(member).content, sizeof there);
    offers.add(there.offer);
    longest = std::max<std::size_t>(longest, there.longest);
  }
  offered = offers.are_good(node);
}

// What `from` sends to this member, by its table.
Block told(const Node& node, Rank from) {
  Block block;
  std::memcpy(&block, node.desk(from) + node.me * sizeof(Block), sizeof block);
  return block;
}

void check_sizes(Node& node, const Block* in) {
  for (Rank from = 0; from < node.size; ++from)
    if (const Block block = told(node, from); block.bytes != in[from].bytes)
      node.refuse(from, in[from].bytes, block.bytes);
}

void keep_own(const Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in) {
  const Block &from = out[node.me], &to = in[node.me];
  if (from.bytes == to.bytes && send + from.begin != receive + to.begin)
    util::copy(receive + to.begin, send + from.begin, from.bytes);
}

Task take_offered(Node& node, std::byte* receive, const Block* in, std::size_t equal) {
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    const Block block = equal != 0 ? Block{node.me * equal, equal} : told(node, from);
    if (block.bytes == 0 || block.bytes != in[from].bytes) continue;
    co_await node.fetch(from, offer_of(node, from), block.begin, receive + in[from].begin, block.bytes);
  }
  node.leave();
  node.ring_all();
  co_await node.all_left();
}

// The next piece: the bytes from `at` on of the block for each of the others.
Task show_slices(Node& node, Slices slices, const std::byte* send, const Block* out, std::size_t at) {
  if (slices.in_line)
    co_await node.next();
  else
    co_await node.next_with_desk();
  std::byte packed[Node::kInline];
  std::byte* const mine = slices.in_line ? packed : node.desk(node.me);
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank to = node.above(distance);
    if (const std::size_t part = slices.bytes(out[to], at); part != 0)
      node.put(mine + slices.place(node, node.me, to), send + out[to].begin + at, part);
  }
  node.show(packed, slices.in_line ? sizeof packed : 0);
  node.ring_all();
}

Task take_slices(Node& node, Slices slices, std::byte* receive, const Block* in, std::uint64_t piece, std::size_t at) {
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    co_await node.shown(from, piece);
    const std::byte* const theirs = slices.in_line ? node.line(from, piece).content : node.desk(from, piece);
    if (const std::size_t part = slices.bytes(in[from], at); part != 0)
      node.take(receive + in[from].begin + at, theirs + slices.place(node, from, node.me), part, in[from].bytes);
  }
}

Task exchange(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
              std::size_t longest) {
  const Slices slices(node, longest);
  const std::uint64_t first = node.piece() + 1, count = (longest + slices.step - 1) / slices.step;
  std::uint64_t begun = 0;
  for (std::uint64_t piece = 0; piece < count; ++piece) {
    for (; begun < count && begun < piece + kUnderWay && (begun == piece || node.has_desk()); ++begun)
      co_await show_slices(node, slices, send, out, begun * slices.step);
    if (piece == 0) keep_own(node, send, out, receive, in);
    co_await take_slices(node, slices, receive, in, first + piece, piece * slices.step);
    node.leave(first + piece);
    if (count > 1) node.ring_all();
  }
  if (count == 1) node.all_met();
}

Task alltoall_of_any(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                     std::size_t equal) {
  std::size_t longest = equal;
  bool offered = false;
  if (equal == 0) {
    co_await meet_with_sizes(node, send, out, longest, offered);
    check_sizes(node, in);
    if (!offered) node.leave();
  } else if (equal * node.size >= kDirect) {
    co_await meet(node, 1, send, equal * node.size, offered);
  }
  if (offered || node.size == 1 || longest == 0) keep_own(node, send, out, receive, in);
  if (offered)
    co_await take_offered(node, receive, in, equal);
  else if (node.size > 1 && longest != 0)
    co_await exchange(node, send, out, receive, in, longest);
}

}  // namespace

Task node_alltoall(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                   std::size_t equal) {
  if (equal != 0 && equal * (node.size - 1) <= Node::kInline)
    return board_alltoall(node, send, out, receive, in, equal);
  return alltoall_of_any(node, send, out, receive, in, equal);
}

}  // namespace polder::coll
