#include "coll/algorithms/pair_reduce.hpp"

#include "coll/port/parts.hpp"

#include <algorithm>
#include <cstring>

namespace polder::coll {

// ---- over desks ----

namespace {

// A member of a pair, whose own part of a piece goes onto its desk if the other one takes the result, or if it would be overwritten
// while it is the right operand: a function may only have the left one as its result.
struct Pair {
  const std::byte* send;
  std::byte* receive;
  bool takes, puts;

  Pair(const Node& node, Rank root, const std::byte* mine, std::byte* result)
      : send(mine),
        receive(result),
        takes(root == kEverybody || root == node.me),
        puts(root != node.me || (node.me == 1 && mine == result)) {}
};

Task show_to_other(Node& node, const Pair& pair, std::size_t at, std::size_t bytes) {
  const Rank other = 1 - node.me;
  co_await node.next_with_desk(other);
  if (pair.puts) node.put(node.desk(node.me), pair.send + at, bytes);
  node.show();
  node.ring(other);
}

Task combine_pair(Node& node, const Pair& pair, std::uint64_t piece, std::size_t at, std::size_t bytes) {
  const Rank other = 1 - node.me;
  co_await node.shown(other, piece);
  const std::byte* const theirs = node.desk(other, piece);
  if (node.me == 0)
    co_await node.combine_from_desk(pair.send + at, theirs, pair.receive + at, bytes);
  else
    co_await node.combine_from_desk(theirs, pair.puts ? node.desk(node.me, piece) : pair.send + at, pair.receive + at,
                                    bytes);
}

}  // namespace

Task pair_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  constexpr std::size_t kLeast = std::size_t{16} << 10;
  const std::size_t step = std::max(node.whole(std::clamp(bytes / 4, kLeast, Node::kDesk)), node.elements.size);
  const Pair pair(node, root, send, receive);
  const std::uint64_t first = node.piece() + 1, count = (bytes + step - 1) / step;
  std::uint64_t begun = 0;
  for (std::uint64_t piece = 0; piece < count; ++piece) {
    for (; begun < count && begun < piece + kUnderWay && (begun == piece || node.has_desk()); ++begun) {
      co_await show_to_other(node, pair, begun * step, std::min(step, bytes - begun * step));
      if (!pair.takes) node.leave();
    }
    if (!pair.takes) continue;
    co_await combine_pair(node, pair, first + piece, piece * step, std::min(step, bytes - piece * step));
    node.leave(first + piece);
    node.ring(1 - node.me);
  }
}

// ---- from the other's private memory ----

namespace {

// What is fetched at a time, so that it is combined while it is in the second-level cache. The kernel's way into another process is 1.5 us.
constexpr std::size_t kFetched = std::size_t{256} << 10;

// A function may only have its left operand as its result, so what replaces the second member's vector is made where the other one's is.
Task combine_piece(Node& node, const std::byte* mine, std::byte* theirs, std::byte* result, std::size_t bytes) {
  std::byte* const sum = mine == result && node.me == 1 ? theirs : result;
  if (node.me == 0)
    co_await node.combine(mine, theirs, sum, bytes);
  else
    co_await node.combine(theirs, mine, sum, bytes);
  if (sum != result) std::memcpy(result, sum, bytes);
}

}  // namespace

Task combine_fetched(Node& node, Offer theirs, const std::byte* mine, std::size_t begin, std::size_t bytes,
                     std::byte* result) {
  const std::size_t step = std::min(node.whole(kFetched), bytes);
  std::byte* const piece = node.scratch(step);
  for (std::size_t done = 0; done < bytes; done += step) {
    const std::size_t at = begin + done, part = std::min(step, bytes - done);
    co_await node.fetch(1 - node.me, theirs, at, piece, part);
    co_await combine_piece(node, mine + at, piece, result + done, part);
  }
}

Task fetched_pair_allreduce(Node& node, VectorOffers theirs, const std::byte* send, std::byte* receive,
                            std::size_t bytes) {
  const Rank other = 1 - node.me;
  const Parts halves(bytes / node.elements.size, 2, node.elements.size);
  const std::size_t mine = halves.begin(node.me), rest = halves.begin(other);
  co_await combine_fetched(node, theirs.send, send, mine, halves.bytes(node.me), receive + mine);
  node.leave();
  co_await node.next();
  node.show();
  node.ring(other);
  co_await node.shown(other);
  co_await node.fetch(other, theirs.receive, rest, receive + rest, halves.bytes(other));
  node.leave();
  node.ring(other);
  co_await node.all_left();
}

}  // namespace polder::coll
