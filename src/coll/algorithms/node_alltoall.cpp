// All show what they send and each takes the blocks that are its own, beginning with the member above it. One turn in and
// one out, N S bytes read by all together where the memory is offered; else in rounds over desks, N S more written.
// Blocks that differ: the first meeting shows a table of them. PiP-MColl (Huang et al. 2022).
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

constexpr std::size_t kCacheLine = 64;

// Bytes of a block in each round, of which a line or a desk holds one for each member.
std::size_t step_of(const Node& node, std::size_t longest) {
  if (longest * node.size <= Node::kInline) return Node::kInline / node.size;
  return Node::kDesk / node.size / kCacheLine * kCacheLine;
}

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
  mine.offer.kind = Offer::address;
  if (end != 0) mine.offer = node.offer(send, end);
  co_await node.next();
  std::memcpy(node.desk(node.me), out, node.size * sizeof(Block));
  node.show(&mine, sizeof mine);
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  offered = true;
  for (Rank member = 0; member < node.size; ++member) {
    Sizes there;
    std::memcpy(&there, node.line(member).content, sizeof there);
    offered = offered && there.offer.kind != Offer::nothing;
    longest = std::max<std::size_t>(longest, there.longest);
  }
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

Task take_offered(Node& node, std::byte* receive, const Block* in, std::size_t equal) {
  for (Rank distance = 0; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    const Block block = equal != 0 ? Block{node.me * equal, equal} : told(node, from);
    if (block.bytes == 0 || block.bytes != in[from].bytes) continue;
    Place place;
    co_await node.reach(from, offer_of(node, from), block.begin + block.bytes, place);
    co_await node.fetch(from, place, block.begin, receive + in[from].begin, block.bytes);
  }
  node.leave();
  node.ring_all();
  co_await node.all_left();
}

// The bytes from `at` on of each block, `step` at most.
Task exchange(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in, std::size_t at,
              std::size_t step) {
  const auto bytes = [at, step](const Block& block) { return at < block.bytes ? std::min(step, block.bytes - at) : 0; };
  const bool in_line = step * node.size <= Node::kInline;
  std::byte packed[Node::kInline];
  co_await node.next();
  std::byte* const mine = in_line ? packed : node.desk(node.me);
  for (Rank to = 0; to < node.size; ++to)
    if (const std::size_t part = bytes(out[to]); part != 0)
      std::memcpy(mine + to * step, send + out[to].begin + at, part);
  node.show(packed, in_line ? sizeof packed : 0);
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  for (Rank distance = 0; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    const std::byte* const theirs = in_line ? node.line(from).content : node.desk(from);
    const std::size_t part = bytes(in[from]);
    if (part != 0) std::memcpy(receive + in[from].begin + at, theirs + node.me * step, part);
  }
  node.leave();
}

}  // namespace

Task node_alltoall(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                   std::size_t equal) {
  std::size_t longest = equal;
  bool offered = false;
  if (equal == 0) {
    co_await meet_with_sizes(node, send, out, longest, offered);
    check_sizes(node, in);
    if (!offered) node.leave();
  } else if (equal * node.size >= kDirect) {
    co_await meet(node, send, equal * node.size, offered);
  }
  if (offered) {
    co_await take_offered(node, receive, in, equal);
  } else {
    const std::size_t step = step_of(node, longest);
    for (std::size_t at = 0; at < longest; at += step) co_await exchange(node, send, out, receive, in, at, step);
  }
}

}  // namespace polder::coll
