// All show their vectors, and each combines the part that is its own. One turn in and one out, N S bytes read by all
// together where the memory is offered; else in pieces over desks, (N-1) S more written, kDesks ahead of who combines. Vectors
// of a line lie there, and who has no part waits for nobody.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"
#include "coll/algorithms/pair_reduce.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

Task combine_loaded(Node& node, Parts parts, std::byte* part) {
  auto* const from = reinterpret_cast<std::byte**>(node.scratch(node.size * sizeof(std::byte*)));
  for (Rank member = 0; member < node.size; ++member)
    co_await node.reach(member, offer_of(node, member), parts.total(), from[member]);
  const std::size_t begin = parts.begin(node.me), bytes = parts.bytes(node.me);
  const std::size_t step = std::max(node.whole(Node::kDesk / 2), node.elements.size);
  for (std::size_t at = 0; at < bytes; at += step) {
    const std::size_t piece = std::min(step, bytes - at);
    const std::byte* one = from[0] + begin + at;
    for (Rank next = 1; next < node.size; ++next) {
      co_await node.combine(one, from[next] + begin + at, part + at, piece);
      one = part + at;
    }
  }
}

Task combine_offered(Node& node, Parts parts, const std::byte* data, std::byte* part) {
  OffersOfAll offers;
  for (Rank member = 0; member < node.size; ++member) offers.add(offer_of(node, member));
  if (offers.some_are_private)
    co_await combine_fetched(node, offer_of(node, 1 - node.me), data, parts.begin(node.me), parts.bytes(node.me), part);
  else
    co_await combine_loaded(node, parts, part);
  node.leave();
  node.ring_all();
  co_await node.all_left();
}

// On the desk of `from`: what `to` combines of a piece.
std::size_t place_of(const Node& node, Rank from, Rank to, std::size_t step) {
  return (to > from ? to - from - 1 : to + node.size - from - 1) * step;
}

// The next piece: the bytes from `at` on of the part of each of the others.
Task show_parts(Node& node, Parts parts, const std::byte* data, std::size_t at, std::size_t step) {
  co_await node.next_with_desk();
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank to = node.above(distance);
    if (const std::size_t bytes = parts.bytes(to); at < bytes)
      node.put(node.desk(node.me) + place_of(node, node.me, to, step), data + parts.begin(to) + at,
               std::min(step, bytes - at));
  }
  node.show();
  node.ring_all();
}

Task combine_piece(Node& node, Parts parts, const std::byte* data, std::byte* part, std::uint64_t piece, std::size_t at,
                   std::size_t step) {
  co_await node.all_shown(piece);
  if (at >= parts.bytes(node.me)) co_return;
  const std::size_t bytes = std::min(step, parts.bytes(node.me) - at);
  const std::byte* sum = nullptr;
  for (Rank member = 0; member < node.size; ++member) {
    const std::byte* const next = member == node.me ? data + parts.begin(node.me) + at
                                                    : node.desk(member, piece) + place_of(node, member, node.me, step);
    if (sum != nullptr) co_await node.combine_from_desk(sum, next, part + at, bytes);
    sum = sum == nullptr ? next : part + at;
  }
}

Task combine_pieces(Node& node, Parts parts, const std::byte* data, std::byte* part, std::size_t longest) {
  const std::size_t step = node.whole(Node::kDesk / (node.size - 1));
  const std::uint64_t first = node.piece() + 1, count = (longest + step - 1) / step;
  std::uint64_t begun = 0;
  for (std::uint64_t piece = 0; piece < count; ++piece) {
    for (; begun < count && begun < piece + kUnderWay && (begun == piece || node.has_desk()); ++begun)
      co_await show_parts(node, parts, data, begun * step, step);
    co_await combine_piece(node, parts, data, part, first + piece, piece * step, step);
    node.leave(first + piece);
    if (count > 1) node.ring_all();
  }
  if (count == 1) node.all_met();
}

Task reduce_scatter_long(Node& node, Parts parts, const std::byte* data, std::byte* part) {
  // What lies in the place of the vector is written last.
  std::byte* const into = part == data ? node.scratch(parts.bytes(node.me)) : part;
  std::size_t longest = 0;
  for (Rank member = 0; member < node.size; ++member) longest = std::max(longest, parts.bytes(member));
  bool offered = parts.total() >= kDirect;
  if (offered) co_await meet(node, takers_of_vectors(node), data, parts.total(), offered);
  if (offered)
    co_await combine_offered(node, parts, data, into);
  else
    co_await combine_pieces(node, parts, data, into, longest);
  if (into != part) std::memcpy(part, into, parts.bytes(node.me));
}

}  // namespace

Task node_reduce_scatter(Node& node, Parts parts, const std::byte* data, std::byte* part) {
  if (parts.total() <= Node::kInline) return board_reduce_scatter(node, parts, data, part);
  return reduce_scatter_long(node, parts, data, part);
}

}  // namespace polder::coll
