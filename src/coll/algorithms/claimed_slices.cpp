// Vectors that all can reach: each shows where its own is; then whoever has a core claims slices, combines each of all
// members, and writes it to all who are to have it while it is in the cache. Two turns, N S bytes read and N S written
// by all together: the least. A member without a core holds up at most one slice. Combined in the order of late_tree,
// so that the bits do not depend on where vectors lie.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/algorithms/node_offers.hpp"
#include "coll/algorithms/pair_reduce.hpp"
#include "coll/port/slots.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

constexpr std::size_t kSlice = std::size_t{32} << 10;

static_assert(sizeof(VectorOffers) <= Node::kInline);

VectorOffers offers_of(const Node& node, Rank member) {
  VectorOffers offers;
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
    const VectorOffers offers = offers_of(node, member);
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

Task reduce_claimed(Node& node, Rank root, std::size_t bytes) {
  auto* const places = reinterpret_cast<std::byte**>(node.scratch(std::size_t{2} * node.size * sizeof(std::byte*)));
  const std::size_t step = std::max(node.whole(kSlice), node.elements.size);
  const Vectors vectors{places, places + node.size, step, node.scratch(Vectors::buffers_of(node.size) * step)};
  co_await find_all(node, root, vectors, bytes);
  co_await combine_slices(node, root, vectors, bytes);
  node.leave();
}

}  // namespace

Task claimed_slices_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes) {
  const Rank takers = root == kEverybody ? takers_of_vectors(node) : kLoaded;
  co_await node.next();
  const VectorOffers mine{offer_to(node, takers, send, bytes),
                          offer_to(node, takers, receive, has_result(root, node.me) ? bytes : 0)};
  const Offer& private_one = mine.send.kind == Offer::process ? mine.send : mine.receive;
  node.show(&mine, sizeof mine, wants_one_copy(node, takers, private_one, bytes));
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  OffersOfAll offers;
  for (Rank member = 0; member < node.size; ++member)
    offers.add(offers_of(node, member).send), offers.add(offers_of(node, member).receive);
  if (!offers.are_good(node)) {
    node.leave();
    co_await late_tree_reduce(node, root, send, receive, bytes);
  } else if (offers.some_are_private) {
    co_await fetched_pair_allreduce(node, offers_of(node, 1 - node.me), send, receive, bytes);
  } else {
    co_await reduce_claimed(node, root, bytes);
  }
}

}  // namespace polder::coll
