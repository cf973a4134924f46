// All show their vectors, and each combines the part that is its own. One turn in and one out, N S bytes read by all
// together where the memory is offered; else in rounds over desks, N S more written.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

Task combine_offered(Node& node, Parts parts, std::byte* part) {
  auto* const from = reinterpret_cast<Place*>(node.scratch(node.size * sizeof(Place)));
  for (Rank member = 0; member < node.size; ++member)
    co_await node.reach(member, offer_of(node, member), parts.total(), from[member]);
  const std::size_t begin = parts.begin(node.me), bytes = parts.bytes(node.me);
  const std::size_t step = std::max(node.whole(Node::kDesk / 2), node.elements.size);
  std::byte *const first = node.scratch(step), *const second = node.scratch(step);
  const std::byte *one = nullptr, *two = nullptr;
  for (std::size_t at = 0; at < bytes; at += step) {
    const std::size_t piece = std::min(step, bytes - at);
    co_await view(node, 0, from[0], begin + at, piece, first, one);
    for (Rank next = 1; next < node.size; ++next) {
      co_await view(node, next, from[next], begin + at, piece, second, two);
      co_await node.combine(one, two, part + at, piece);
      one = part + at;
    }
  }
  node.leave();
  node.ring_all();
  co_await node.all_left();
}

Task combine_piece(Node& node, Parts parts, const std::byte* data, std::byte* part, std::size_t at, std::size_t step) {
  co_await node.next();
  std::byte* const mine = node.desk(node.me);
  for (Rank to = 0; to < node.size; ++to)
    if (const std::size_t bytes = parts.bytes(to); at < bytes)
      std::memcpy(mine + to * step, data + parts.begin(to) + at, std::min(step, bytes - at));
  node.show();
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  if (const std::size_t bytes = parts.bytes(node.me); at < bytes) {
    const std::size_t piece = std::min(step, bytes - at), place = node.me * step;
    co_await node.combine(node.desk(0) + place, node.desk(1) + place, part + at, piece);
    for (Rank next = 2; next < node.size; ++next)
      co_await node.combine(part + at, node.desk(next) + place, part + at, piece);
  }
  node.leave();
}

}  // namespace

Task node_reduce_scatter(Node& node, Parts parts, const std::byte* data, std::byte* part) {
  // What lies in the place of the vector is written last.
  std::byte* const into = part == data ? node.scratch(parts.bytes(node.me)) : part;
  std::size_t longest = 0;
  for (Rank member = 0; member < node.size; ++member) longest = std::max(longest, parts.bytes(member));
  bool offered = parts.total() >= kDirect;
  if (offered) co_await meet(node, data, parts.total(), offered);
  if (offered) {
    co_await combine_offered(node, parts, into);
  } else {
    const std::size_t step = node.whole(Node::kDesk / node.size);
    for (std::size_t at = 0; at < longest; at += step) co_await combine_piece(node, parts, data, into, at, step);
  }
  if (into != part) std::memcpy(part, into, parts.bytes(node.me));
}

}  // namespace polder::coll
