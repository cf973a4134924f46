#include "coll/algorithms/node_offers.hpp"

namespace polder::coll {

Offer offer_of(const Node& node, Rank member) {
  Offer offer;
  std::memcpy(&offer, node.line(member).content, sizeof offer);
  return offer;
}

Task meet(Node& node, const std::byte* memory, std::size_t bytes, bool& offered) {
  co_await node.next();
  Offer mine;
  mine.kind = Offer::no_bytes;
  if (bytes != 0) mine = node.offer(memory, bytes);
  node.show(&mine, sizeof mine);
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  offered = true;
  for (Rank member = 0; member < node.size; ++member)
    offered = offered && offer_of(node, member).kind != Offer::nothing;
  if (!offered) node.leave();
}

}  // namespace polder::coll
