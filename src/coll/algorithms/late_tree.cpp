// Late combiners: members are the leaves of a fixed binary tree in their order; where two branches meet, the one that
// comes second combines both and goes on, the other leaves. Nobody waits on the way up, and who ends at the top
// publishes. One turn, (N-1) S bytes combined by all together, N S taken out. Combining tree: Yew, Tzeng, Lawrie 1987.
//
// In pieces of a desk, which stay in the second-level cache: a member brings the next pieces before it takes the result
// of one. Where a desk is better written past the cache, sums are made aside, and put there if somebody else is to take them.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/pair_reduce.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

bool comes_second(std::atomic<std::uint64_t>& arrivals) {
  return arrivals.fetch_add(1, std::memory_order_acq_rel) % 2 == 1;
}

// Where sums are made: two, because one may be what goes into the other. Null: on the desks.
struct Aside {
  std::byte* sums = nullptr;
  std::size_t step = 0;

  Aside(Node& node, std::size_t bytes) : step(bytes) {
    if (node.puts_past_cache(bytes)) sums = node.scratch(2 * step);
  }
  std::byte* other_than(const std::byte* one) const { return one == sums ? sums + step : sums; }
};

// Brings `mine` to the tree and goes up as far as this member comes second. A vector is put on the desk only where
// nobody is there yet.
Task climb(Node& node, const std::byte* mine, std::size_t bytes, Aside aside) {
  Rank at = node.me;  // the first member of the branch
  bool on_desk = false;
  for (unsigned level = 0; Rank{1} << level < node.size; ++level) {
    const Rank span = Rank{1} << level, left = at & ~span, right = left + span;
    if (right >= node.size) continue;
    auto& arrivals = node.memory(left).crossing[node.piece() % Node::kDesks][level].arrivals;
    if (!on_desk && arrivals.load(std::memory_order_relaxed) % 2 == 0) {
      node.put(node.desk(at), mine, bytes);
      on_desk = true;
    }
    if (!comes_second(arrivals)) co_return;
    co_await node.shown(at == left ? right : left);  // it has, but perhaps of another call
    const std::byte* const one = at == left && !on_desk ? mine : node.desk(left);
    const std::byte* const two = at == right && !on_desk ? mine : node.desk(right);
    on_desk = aside.sums == nullptr;
    std::byte* const sum = on_desk ? node.desk(left) : aside.other_than(mine);
    co_await node.combine(one, two, sum, bytes);
    mine = sum;
    at = left;
  }
  if (!on_desk) node.put(node.desk(at), mine, bytes);
  node.common().published.store(node.piece(), std::memory_order_release);
  node.ring_all();
}

}  // namespace

Task late_tree_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  if (node.size == 2) {
    co_await pair_reduce(node, root, send, receive, bytes);
    co_return;
  }
  const std::size_t step = node.whole(Node::kDesk);
  const bool all = root == kEverybody, takes = all || node.me == root;
  const std::uint64_t first = node.piece() + 1, count = (bytes + step - 1) / step;
  const Aside aside(node, std::min(step, bytes));
  std::uint64_t begun = 0;
  for (std::uint64_t piece = 0; piece < count; ++piece) {
    for (; begun < count && begun < piece + kUnderWay; ++begun) {
      co_await node.next_with_desk();
      node.show();
      co_await climb(node, send + begun * step, std::min(step, bytes - begun * step), aside);
    }
    if (takes) {
      co_await node.reached(node.common().published, first + piece);
      node.take(receive + piece * step, node.desk(0, first + piece), std::min(step, bytes - piece * step), bytes);
    }
    node.leave(first + piece);
    if (!all || count > 1) node.ring_all();
  }
}

}  // namespace polder::coll
