// Vectors of a line: those who have something show it, and those who are to have it, or what is made of it, read it; nobody else waits
// for anybody. One turn, up to N S bytes read by each who has a result.
//
// Each is one coroutine and calls no other: allgathers, alltoalls and gathers of 8 bytes by two members take 0.65 to 0.8 of the time,
// 0.2 us, that they took in three.
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

namespace polder::coll {

Task board_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  co_await node.next();
  node.show(send, bytes);
  const bool all = root == kEverybody;
  if (all)
    node.ring_all();
  else if (node.me != root)
    node.ring(root);
  if (all || node.me == root) {
    co_await node.all_shown();
    util::copy(receive, node.line(0).content, bytes);
    for (Rank member = 1; member < node.size; ++member)
      co_await node.combine(receive, node.line(member).content, receive, bytes);
    node.all_met();
  }
  node.leave();
}

Task board_reduce_scatter(Node& node, Parts parts, const std::byte* data, std::byte* part) {
  co_await node.next();
  node.show(data, parts.total());
  if (parts.bytes(node.me) != parts.total()) node.ring_all();
  if (const std::size_t bytes = parts.bytes(node.me), begin = parts.begin(node.me); bytes != 0) {
    co_await node.all_shown();
    util::copy(part, node.line(0).content + begin, bytes);
    for (Rank member = 1; member < node.size; ++member)
      co_await node.combine(part, node.line(member).content + begin, part, bytes);
    node.all_met();
  }
  node.leave();
}

Task board_broadcast(Node& node, Rank root, std::byte* data, std::size_t bytes) {
  co_await node.next();
  if (node.me == root) {
    node.show(data, bytes);
    node.leave();
    co_return node.ring_all();
  }
  co_await node.shown(root);
  util::copy(data, node.line(root).content, bytes);
  node.leave();
}

Task board_gather(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all) {
  const bool everybody = root == kEverybody;
  co_await node.next();
  node.show(mine, parts.bytes(node.me));
  if (everybody)
    node.ring_all();
  else if (node.me != root)
    node.ring(root);
  if (everybody || node.me == root) {
    util::copy(all + parts.begin(node.me), mine, parts.bytes(node.me));
    for (Rank distance = 1; distance < node.size; ++distance) {
      const Rank from = node.above(distance);
      co_await node.shown(from);
      util::copy(all + parts.begin(from), node.line(from).content, parts.bytes(from));
    }
    node.all_met();
  }
  node.leave();
}

// Several lines, one behind the other, where one has no room for all parts: a member waits for that of its part only, and desks, of
// which the root would fill but kDesks ahead of the others, stay out of it.
Task board_scatter(Node& node, Rank root, Parts parts, const std::byte* all, std::byte* mine) {
  for (Rank first = 0, end = 0; first < node.size; first = end) {
    const std::size_t begin = parts.begin(first);
    while (end < node.size && parts.begin(end) + parts.bytes(end) <= begin + Node::kInline) ++end;
    co_await node.next();
    if (node.me == root) {
      node.show(all + begin, parts.bytes(first, end));
      node.leave();
      node.ring_all();
      continue;
    }
    if (first <= node.me && node.me < end) {
      co_await node.shown(root);
      util::copy(mine, node.line(root).content + (parts.begin(node.me) - begin), parts.bytes(node.me));
    }
    node.leave();
  }
  if (node.me == root) util::copy(mine, all + parts.begin(root), parts.bytes(root));
}

Task board_alltoall(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                    std::size_t bytes) {
  std::byte packed[Node::kInline];  // first what goes to the member above
  for (Rank distance = 1; distance < node.size; ++distance)
    util::copy(packed + (distance - 1) * bytes, send + out[node.above(distance)].begin, bytes);
  co_await node.next();
  node.show(packed, (node.size - 1) * bytes);
  node.ring_all();
  util::copy(receive + in[node.me].begin, send + out[node.me].begin, bytes);
  for (Rank distance = 1; distance < node.size; ++distance) {
    const Rank from = node.above(distance);
    co_await node.shown(from);
    util::copy(receive + in[from].begin, node.line(from).content + (node.size - distance - 1) * bytes, bytes);
  }
  node.all_met();
  node.leave();
}

}  // namespace polder::coll
