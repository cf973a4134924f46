// All show their part, and all, or the root, take them: one turn, and one more where parts are offered. N S bytes read
// by each who takes them; on the way over desks S more written by each.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

void take(std::byte* all, const Parts& parts, Rank member, std::size_t at, std::size_t most, const std::byte* from) {
  const std::size_t part = parts.bytes(member);
  if (at < part) std::memcpy(all + parts.begin(member) + at, from, std::min(most, part - at));
}

Task take_offered(Node& node, Parts parts, std::byte* all) {
  for (Rank distance = 0; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    if (parts.bytes(from) == 0) continue;
    Place place;
    co_await node.reach(from, offer_of(node, from), parts.bytes(from), place);
    co_await node.fetch(from, place, 0, all + parts.begin(from), parts.bytes(from));
  }
}

// `at` of each part, up to `most` bytes, over lines or desks.
Task gather_piece(Node& node, bool takes, Parts parts, const std::byte* mine, std::byte* all, std::size_t at,
                  std::size_t most) {
  const std::size_t part = parts.bytes(node.me), bytes = at < part ? std::min(most, part - at) : 0;
  const bool in_line = most <= Node::kInline;
  co_await node.next();
  if (!in_line && bytes != 0) std::memcpy(node.desk(node.me), mine + at, bytes);
  node.show(mine + at, in_line ? bytes : 0);
  node.ring_all();
  if (takes) {
    co_await node.all_shown();
    for (Rank distance = 0; distance < node.size; ++distance) {
      const Rank from = node.above(distance);
      take(all, parts, from, at, most, in_line ? node.line(from).content : node.desk(from));
    }
  }
  node.leave();
}

}  // namespace

Task node_gather(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all) {
  const bool takes = root == kEverybody || root == node.me;
  std::size_t longest = 0;
  for (Rank member = 0; member < node.size; ++member) longest = std::max(longest, parts.bytes(member));
  bool offered = longest >= kDirect;
  if (offered) co_await meet(node, mine, parts.bytes(node.me), offered);
  if (offered) {
    if (takes) co_await take_offered(node, parts, all);
    node.leave();
    node.ring_all();
    co_await node.all_left();
    co_return;
  }
  const std::size_t step = longest <= Node::kInline ? Node::kInline : Node::kDesk;
  std::size_t at = 0;
  do {
    co_await gather_piece(node, takes, parts, mine, all, at, step);
    if (root == kEverybody)
      node.all_met();
    else
      node.ring_all();
    at += step;
  } while (at < longest);
}

}  // namespace polder::coll
