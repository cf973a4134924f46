#include "coll/algorithms/node_offers.hpp"

namespace polder::coll {

Offer offer_of(const Node& node, Rank member) {
  Offer offer;
  std::memcpy(&offer, node.line(member).content, sizeof offer);
  return offer;
}

Offer offer_to(Node& node, Rank takers, const std::byte* memory, std::size_t bytes) {
  Offer mine;
  mine.kind = Offer::no_bytes;
  if (takers != kLoaded) node.find_out_who_reads();
  if (bytes != 0) mine = takers == kLoaded ? node.offer(memory, bytes) : node.offer_for_copies(memory, bytes);
  return mine;
}

Task meet(Node& node, Rank takers, const std::byte* memory, std::size_t bytes, bool& offered) {
  co_await node.next();
  const Offer mine = offer_to(node, takers, memory, bytes);
  node.show(&mine, sizeof mine, wants_one_copy(node, takers, mine, bytes));
  node.ring_all();
  co_await node.all_shown();
  node.all_met();
  OffersOfAll offers;
  for (Rank member = 0; member < node.size; ++member) offers.add(offer_of(node, member));
  offered = offers.are_good(node);
  if (!offered) node.leave();
}

std::uint32_t wants_one_copy(const Node& node, Rank takers, const Offer& mine, std::size_t bytes) {
  const bool may_be = mine.kind == Offer::process || mine.kind == Offer::no_bytes;
  const std::size_t for_others = bytes - bytes / node.size;
  return node.me == 0 && takers != kLoaded && may_be && node.ways().next_is_once({for_others, Node::kDeskRoom, takers})
             ? 1
             : 0;
}

}  // namespace polder::coll
