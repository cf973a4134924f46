#include "coll/stale/stale_shapes.hpp"

namespace polder::coll {
namespace {

Task end_call(StalePart& part) {
  co_await part.finished();
  if (part.is_consistent() && !part.has_failed()) co_await part.all_left();
  part.store();
  if (part.is_consistent()) part.begin_anew();
}

// What the dimensions give, from the lowest to the highest; partners put theirs and the other's in the same order.
Task add_dimensions(StalePart& part, bool sends) {
  for (unsigned k = 0; k < part.layout().dimensions() && !part.has_failed(); ++k) {
    StaleLink& link = part.link(k);
    if (sends) part.send_sum(link);
    co_await part.fresh(link);
    if (part.has_failed()) co_return;
    co_await part.added(link, link.peer() < part.me() ? StaleSide::before : StaleSide::after);
  }
}

}  // namespace

// Hypercube of the largest power of two, log2 P exchanges of S bytes; a member beyond it gives its total to the one that
// many before it and gets those of all others. Iakymchuk et al. 2022, Algorithm 1, with the label of its text.
Task stale_hypercube(StalePart& part) {
  const Rank inside = Rank{1} << part.layout().dimensions();
  StaleLink& outside = part.link(part.layout().dimensions());
  const bool is_outside = part.me() >= inside, has_outside = part.me() + inside < part.size();
  co_await part.own_added();
  part.begin_sum();
  co_await part.own_in_sum();
  if (is_outside) {
    part.send_sum(outside);
    co_await part.fresh(outside);
    // The same bits as all others have, where all have the same.
    if (part.is_consistent()) part.begin_sum();
    co_await part.added(outside, StaleSide::before);
  } else {
    if (has_outside) {
      co_await part.fresh(outside);
      co_await part.added(outside, StaleSide::after);
    }
    co_await add_dimensions(part, true);
    if (has_outside && part.is_consistent()) part.send_sum(outside);
  }
  co_await end_call(part);
  if (!has_outside || is_outside || part.is_consistent() || part.has_failed()) co_return;
  // What is sent outside lacks what came from there, of which the member there knows more.
  part.begin_sum();
  co_await part.own_in_sum();
  co_await add_dimensions(part, false);
  if (!part.has_failed()) part.send_sum(outside);
}

// Everybody sends its total to all and combines those of all, in ascending order. (P - 1) S bytes.
Task stale_flat(StalePart& part) {
  co_await part.own_added();
  part.begin_sum();
  co_await part.own_in_sum();
  for (Rank member = 0; member < part.size(); ++member)
    if (member != part.me()) part.send_sum(part.link(member));
  for (Rank member = 0; member < part.size() && !part.has_failed(); ++member)
    if (member != part.me()) co_await part.fresh(part.link(member));
  part.begin_sum();
  for (Rank member = 0; member < part.size() && !part.has_failed(); ++member) {
    if (member == part.me())
      co_await part.own_in_sum();
    else
      co_await part.added(part.link(member), StaleSide::after);
  }
  co_await end_call(part);
}

// Each member keeps a slice of all vectors (StaleServer) and is sent those of all totals; it sends each one the slice
// combined, without what that one has given itself, which knows more of that. 2 S (P - 1) / P bytes.
Task stale_sharded(StalePart& part) {
  co_await part.own_added();
  for (Rank keeper = 0; keeper < part.size() && !part.has_failed(); ++keeper) part.send_slice(keeper);
  for (Rank keeper = 0; keeper < part.size() && !part.has_failed(); ++keeper)
    co_await part.fresh(part.link(part.size() + keeper));
  part.begin_sum();
  for (Rank keeper = 0; keeper < part.size() && !part.has_failed(); ++keeper) co_await part.slice_added(keeper);
  co_await end_call(part);
}

Task stale_call(StalePart& part) {
  switch (part.spec().shape) {
    case StaleShape::flat: return stale_flat(part);
    case StaleShape::sharded: return stale_sharded(part);
    default: return stale_hypercube(part);
  }
}

}  // namespace polder::coll
