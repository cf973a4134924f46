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
  mine.kind = Offer::address;
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

Task view(Node& node, Rank member, Place place, std::size_t at, std::size_t bytes, std::byte* buffer,
          const std::byte*& seen) {
  seen = place.direct != nullptr ? place.direct + at : buffer;
  if (place.direct == nullptr) co_await node.fetch(member, place, at, buffer, bytes);
}

}  // namespace polder::coll
