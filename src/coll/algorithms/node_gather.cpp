// All show their part, and all, or the root, take them: one turn, and one more where parts are offered. N S bytes read
// by each who takes them; on the way over desks S more written by each, kDesks ahead of who takes them.
//
// What is offered to everybody all must know of, so it is settled at a meeting. What is offered to a root only the root need know of: the
// others wait for its word, and not for each other.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <span>

namespace polder::coll {
namespace {

void take_own(std::byte* all, const Parts& parts, Rank me, const std::byte* mine) {
  std::byte* const place = all + parts.begin(me);
  if (place != mine) util::copy(place, mine, parts.bytes(me));
}

Task take_offered(Node& node, Parts parts, std::byte* all) {
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    if (parts.bytes(from) == 0) continue;
    co_await node.fetch(from, offer_of(node, from), 0, all + parts.begin(from), parts.bytes(from));
  }
}

// ---- what is offered, in the next piece; `taken`: it has been, and all is done ----

Task take_from_each_other(Node& node, Parts parts, const std::byte* mine, std::byte* all, bool& taken) {
  co_await meet(node, node.size - 1, mine, parts.bytes(node.me), taken);
  if (!taken) co_return;
  take_own(all, parts, node.me, mine);
  co_await take_offered(node, parts, all);
  node.leave();
  node.ring_all();
  co_await node.all_left();
}

enum Word : std::uint32_t { kBringIt, kTaken };  // of the root, in its line

// Parts that may be copied once are taken as they come. Else they are only taken if all lie in segments. While the root takes a part
// from a desk all others put theirs, so of what that costs it counts a share only, as if several took what is put.
Task take_as_root(Node& node, Parts parts, const std::byte* mine, std::byte* all, bool& taken) {
  co_await node.next();
  const Rank others = node.size - 1;
  const CopyWays::Vector theirs{parts.total() - parts.bytes(node.me), others * Node::kDeskRoom, others};
  const bool takes_private = node.find_out_who_reads() && node.ways().next_is_once(theirs);
  if (takes_private) take_own(all, parts, node.me, mine);
  OffersOfAll offers;
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    co_await node.shown(from);
    const Offer offer = offer_of(node, from);
    offers.add(offer);
    if (takes_private && offers.all) co_await node.fetch(from, offer, 0, all + parts.begin(from), parts.bytes(from));
  }
  taken = offers.all && (takes_private || !offers.some_are_private);
  if (taken && !takes_private) {
    take_own(all, parts, node.me, mine);
    co_await take_offered(node, parts, all);
  }
  node.show(nullptr, 0, taken ? kTaken : kBringIt);
  node.all_met();
  node.leave();
  node.ring_all();
}

Task offer_to_root(Node& node, Rank root, const std::byte* mine, std::size_t bytes, bool& taken) {
  co_await node.next();
  const Offer offer = offer_to(node, 1, mine, bytes);
  node.show(&offer, sizeof offer);
  node.ring(root);
  co_await node.shown(root);
  node.all_met();
  taken = node.line(root).what == kTaken;
  node.leave();
}

// ---- and what is not ----

// The next piece: up to a desk of the own part from `at` on.
Task show_piece(Node& node, Rank root, std::span<const std::byte> mine, std::size_t at) {
  co_await node.next_with_desk(root);
  const std::size_t bytes = at < mine.size() ? std::min(Node::kDesk, mine.size() - at) : 0;
  if (bytes != 0 && root != node.me) node.put(node.desk(node.me), mine.data() + at, bytes);
  node.show();
  if (root == kEverybody)
    node.ring_all();
  else if (root != node.me)
    node.ring(root);
}

Task take_piece(Node& node, Parts parts, std::byte* all, std::uint64_t piece, std::size_t at) {
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    co_await node.shown(from, piece);
    const std::size_t part = parts.bytes(from);
    if (at < part)
      node.take(all + parts.begin(from) + at, node.desk(from, piece), std::min(Node::kDesk, part - at), parts.total());
  }
}

Task gather_pieces(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all, std::size_t longest) {
  const bool everybody = root == kEverybody, takes = everybody || root == node.me;
  const std::uint64_t first = node.piece() + 1, count = (longest + Node::kDesk - 1) / Node::kDesk;
  const std::span<const std::byte> part(mine, parts.bytes(node.me));
  std::uint64_t begun = 0;
  for (std::uint64_t piece = 0; piece < count; ++piece) {
    for (; begun < count && begun < piece + kUnderWay && (begun == piece || node.has_desk()); ++begun) {
      co_await show_piece(node, root, part, begun * Node::kDesk);
      if (!takes) node.leave();
    }
    if (!takes) continue;
    if (piece == 0) take_own(all, parts, node.me, mine);
    co_await take_piece(node, parts, all, first + piece, piece * Node::kDesk);
    node.leave(first + piece);
    if (count > 1 || !everybody) node.ring_all();
  }
  if (everybody && count == 1) node.all_met();
}

Task gather_long(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all, std::size_t longest) {
  bool taken = false;
  if (longest >= kDirect && root == kEverybody) co_await take_from_each_other(node, parts, mine, all, taken);
  if (longest >= kDirect && root == node.me) co_await take_as_root(node, parts, mine, all, taken);
  if (longest >= kDirect && root != kEverybody && root != node.me)
    co_await offer_to_root(node, root, mine, parts.bytes(node.me), taken);
  if (!taken) co_await gather_pieces(node, root, parts, mine, all, longest);
}

}  // namespace

Task node_gather(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all) {
  std::size_t longest = 0;
  for (Rank member = 0; member < node.size; ++member) longest = std::max(longest, parts.bytes(member));
  if (longest <= Node::kInline) return board_gather(node, root, parts, mine, all);
  return gather_long(node, root, parts, mine, all, longest);
}

}  // namespace polder::coll
