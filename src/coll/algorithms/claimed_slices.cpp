// Vectors that lie in memory which all can load: each shows where its own is; then whoever has a core claims slices,
// combines each of all members, and writes it to all who are to have it while it is in the cache. Two turns, N S bytes
// read and N S written by all together: the least. A member without a core holds up at most one slice.
#include "coll/algorithms/node_algorithms.hpp"

#include <algorithm>
#include <utility>

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

// Where the vectors of all lie.
struct Vectors {
  std::byte **from, **to;
};

Task find_all(Node& node, Rank root, Vectors vectors, std::size_t bytes) {
  for (Rank member = 0; member < node.size; ++member) {
    const Offers offers = offers_of(node, member);
    co_await node.reach(member, offers.send, bytes, vectors.from[member]);
    if (has_result(root, member)) co_await node.reach(member, offers.receive, bytes, vectors.to[member]);
  }
}

Task combine_slice(Node& node, Rank root, Vectors vectors, std::size_t at, std::size_t bytes, std::byte* own) {
  const Rank member = root == kEverybody ? node.me : root;
  // A vector that is both is not changed before it has been read.
  std::byte* const sum = vectors.to[member] == vectors.from[member] && member != 0 ? own : vectors.to[member] + at;
  co_await node.combine(vectors.from[0] + at, vectors.from[1] + at, sum, bytes);
  for (Rank next = 2; next < node.size; ++next) co_await node.combine(sum, vectors.from[next] + at, sum, bytes);
  for (Rank each = 0; each < node.size; ++each)
    if (has_result(root, each) && vectors.to[each] + at != sum) std::memcpy(vectors.to[each] + at, sum, bytes);
}

Task combine_slices(Node& node, Rank root, Vectors vectors, std::size_t bytes) {
  const std::size_t step = std::max(node.whole(kSlice), node.elements.size);
  const std::uint64_t slices = (bytes + step - 1) / step, all_done = node.done_before() + slices;
  std::byte* const own = node.scratch(step);
  while (true) {
    const std::uint64_t slice = node.common().claimed.fetch_add(1, std::memory_order_acq_rel) - node.claims_begin();
    if (slice >= slices) break;
    const std::size_t at = slice * step;
    co_await combine_slice(node, root, vectors, at, std::min(step, bytes - at), own);
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
    offered = offered && offers.send.valid && (offers.receive.valid || !has_result(root, member));
  }
  if (offered) {
    auto** const places = reinterpret_cast<std::byte**>(node.scratch(2 * node.size * sizeof(std::byte*)));
    const Vectors vectors{places, places + node.size};
    co_await find_all(node, root, vectors, bytes);
    co_await combine_slices(node, root, vectors, bytes);
    node.leave();
  } else {
    node.leave();
    co_await late_tree_reduce(node, root, send, receive, bytes);
  }
}

}  // namespace polder::coll
