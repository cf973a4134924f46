// Vectors that all can reach: each shows where its own is; then whoever has a core claims slices, combines each of all
// members, and writes it to all who are to have it while it is in the cache. Two turns, N S bytes read and N S written
// by all together: the least. A member without a core holds up at most one slice. Combined in the order of late_tree,
// so that the bits do not depend on where vectors lie.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"
#include "coll/port/slots.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

constexpr std::size_t kSlice = std::size_t{32} << 10;

struct Offers {
  Offer send, receive;
};
static_assert(sizeof(Offers) <= Node::kInline);

Offers offers_of(const Node& node, Rank member) {
  Offers offers;
  std::memcpy(&offers, node.line(member).content, sizeof offers);
  return offers;
}

bool has_result(Rank root, Rank member) {
  return root == kEverybody || root == member;
}

// Where the vectors of all lie, and buffers for slices of this member.
struct Vectors {
  std::byte **from, **to;
  std::size_t step;  // bytes of a slice
  std::byte* buffers;
  // The sum of the branch that ends with this member at this level; those of two neighbours are kept.
  std::byte* sum(unsigned level, Rank member) const {
    return buffers + (2 * level + (member >> (level + 1)) % 2) * step;
  }
  static std::size_t buffers_of(Rank size) { return std::size_t{2} * rounds_of(size); }
};

Task find_all(Node& node, Rank root, Vectors vectors, std::size_t bytes) {
  for (Rank member = 0; member < node.size; ++member) {
    const Offers offers = offers_of(node, member);
    co_await node.reach(member, offers.send, bytes, vectors.from[member]);
    if (has_result(root, member)) co_await node.reach(member, offers.receive, bytes, vectors.to[member]);
  }
}

// The branches of the tree that wait for the one on their right, by level: as a counter's bits, which is carried on. What
// comes last goes into the member's own `result`, which may be null, unless that is where its right branch lies.
Task combine_all(Node& node, Vectors vectors, std::size_t at, std::size_t bytes, std::byte* result,
                 const std::byte*& sum) {
  constexpr unsigned kLevels = core::NodeMemory::kLevels;
  const std::byte* waiting[kLevels + 1];
  const Rank last = node.size - 1;
  for (Rank member = 0; member < node.size; ++member) {
    const std::byte* branch = vectors.from[member] + at;
    for (unsigned level = 0; Rank{1} << level <= last; ++level) {
      const bool is_right = member >> level & 1;
      if (!is_right && member != last) {
        waiting[level] = branch;
        break;
      }
      if (!is_right) continue;  // nobody is on the right of it
      const bool is_last = Rank{2} << level > last && result != nullptr && branch != result;
      std::byte* const both = is_last ? result : vectors.sum(level, member);
      co_await node.combine(waiting[level], branch, both, bytes);
      branch = both;
    }
    sum = branch;
  }
}

Task combine_slices(Node& node, Rank root, Vectors vectors, std::size_t bytes) {
  const std::uint64_t slices = (bytes + vectors.step - 1) / vectors.step, all_done = node.done_before() + slices;
  const std::byte* sum = nullptr;
  while (true) {
    const std::uint64_t slice = node.common().claimed.fetch_add(1, std::memory_order_acq_rel) - node.claims_begin();
    if (slice >= slices) break;
    const std::size_t at = slice * vectors.step, piece = std::min(vectors.step, bytes - at);
    std::byte* const result = has_result(root, node.me) ? vectors.to[node.me] + at : nullptr;
    co_await combine_all(node, vectors, at, piece, result, sum);
    for (Rank each = 0; each < node.size; ++each)
      if (has_result(root, each) && vectors.to[each] + at != sum)
        co_await node.store(each, vectors.to[each] + at, sum, piece);
    if (node.common().done.fetch_add(1, std::memory_order_acq_rel) + 1 == all_done) node.ring_all();
  }
  co_await node.reached(node.common().done, all_done);
  node.claims_end(slices);
}

}  // namespace

Task claimed_slices_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  co_await node.next();
  const bool takes = has_result(root, node.me);
  const Offers mine{node.offer(send, bytes), takes ? node.offer(receive, bytes) : Offer{}};
  node.show(&mine, sizeof mine);
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  bool offered = true;
  for (Rank member = 0; member < node.size; ++member) {
    const Offers offers = offers_of(node, member);
    offered = offered && offers.send.kind != Offer::nothing &&
              (offers.receive.kind != Offer::nothing || !has_result(root, member));
  }
  if (offered) {
    auto* const places = reinterpret_cast<std::byte**>(node.scratch(std::size_t{2} * node.size * sizeof(std::byte*)));
    const std::size_t step = std::max(node.whole(kSlice), node.elements.size);
    const Vectors vectors{places, places + node.size, step, node.scratch(Vectors::buffers_of(node.size) * step)};
    co_await find_all(node, root, vectors, bytes);
    co_await combine_slices(node, root, vectors, bytes);
    node.leave();
  } else {
    node.leave();
    co_await late_tree_reduce(node, root, send, receive, bytes);
  }
}

}  // namespace polder::coll
