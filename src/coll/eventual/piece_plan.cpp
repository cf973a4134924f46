#include "coll/eventual/piece_plan.hpp"

#include "util/assert.hpp"

#include <bit>

namespace polder::coll {

PiecePlan::PiecePlan(EventualWay way, Rank root, Rank members, Rank taking_part, std::size_t elements, unsigned rounds)
    : way_(way),
      root_(root),
      members_(members),
      taking_part_(taking_part),
      wrapped_(taking_part > members - root ? taking_part - (members - root) : 0),
      pieces_(way == EventualWay::slices ? rounds * (taking_part - 1) : 1),
      elements_(elements) {
  POLDER_ASSERT(way == EventualWay::flat || (taking_part > 2 && 1 <= rounds && rounds <= kMostRounds));
}

// Of the binomial tree: below its lowest bit, and below the end.
Rank PiecePlan::children(Rank number) const {
  const Rank below = number == 0 ? taking_part_ : number & (~number + 1);
  const Rank room = std::min(below, taking_part_ - number);  // distances are less
  return Rank(std::bit_width(room - 1));
}

// ---- a broadcast ----

Rank PiecePlan::source(std::uint32_t piece, Rank member) const {
  const Rank number = number_of(member);
  if (way_ == EventualWay::slices) return hub(piece) == number ? root_ : member_of(hub(piece));
  return member_of(number & (number - 1));
}

Rank PiecePlan::readers(std::uint32_t piece, Rank member) const {
  const Rank number = number_of(member);
  if (way_ == EventualWay::slices) return hub(piece) == number ? hubs() - 1 : 0;
  return children(number);
}

Rank PiecePlan::reader(std::uint32_t piece, Rank member, Rank i) const {
  const Rank number = number_of(member);
  if (way_ == EventualWay::slices) return member_of(1 + (number + i) % hubs());
  return member_of(number + (Rank{1} << (readers(piece, member) - 1 - i)));
}

std::uint32_t PiecePlan::read_as(std::uint32_t i, Rank member) const {
  if (way_ != EventualWay::slices) return i;
  const std::uint32_t own = number_of(member) - 1, rounds = pieces_ / hubs();
  if (i < rounds) return i * hubs() + own;
  i -= rounds;
  return behind(own + 1, i % (hubs() - 1), i / (hubs() - 1));
}

// ---- a reduce ----

std::uint32_t PiecePlan::jobs(Rank member) const {
  if (!takes_part(member)) return 0;
  if (member == root_ || is_for_all_) return pieces_;
  return way_ == EventualWay::slices ? pieces_ / hubs() : children(number_of(member)) != 0;
}

// A hub that puts the result together combines a piece of its own before those
// of the others of the round before, so that these are shown when they are
// read.
std::uint32_t PiecePlan::job(Rank member, std::uint32_t i) const {
  if (way_ != EventualWay::slices || member == root_) return i;
  const std::uint32_t own = number_of(member) - 1, rounds = pieces_ / hubs();
  if (!is_for_all_) return i * hubs() + own;
  if (i == 0) return own;
  const std::uint32_t round = (i - 1) / hubs(), k = (i - 1) % hubs();
  if (round + 1 == rounds) return behind(own + 1, k, round);
  return k == 0 ? (round + 1) * hubs() + own : behind(own + 1, k - 1, round);
}

Rank PiecePlan::parts(std::uint32_t piece, Rank member) const {
  if (way_ == EventualWay::slices) return hub(piece) == number_of(member) ? taking_part_ : 1;
  return 1 + children(number_of(member));
}

PiecePlan::Part PiecePlan::part(std::uint32_t piece, Rank member, Rank i) const {
  if (way_ == EventualWay::slices)
    return hub(piece) == number_of(member) ? Part{participant(i)} : Part{member_of(hub(piece)), true};
  if (i == 0) return {member};
  const Rank child = number_of(member) + (Rank{1} << (i - 1));
  return {member_of(child), children(child) != 0};
}

Rank PiecePlan::receivers(std::uint32_t piece, Rank member) const {
  const Rank number = number_of(member);
  if (way_ != EventualWay::slices) return number != 0;
  if (hub(piece) != number) return 0;
  return is_for_all_ ? hubs() : 1;
}

Rank PiecePlan::receiver(Rank member, Rank i) const {
  const Rank number = number_of(member);
  return member_of(way_ == EventualWay::slices ? (number + i + 1) % taking_part_ * is_for_all_ : number & (number - 1));
}

Rank PiecePlan::shown_to(Rank member) const {
  if (way_ == EventualWay::slices) return hubs();
  return way_ == EventualWay::binomial && member != root_ && receiver(member, 0) != root_;
}

Rank PiecePlan::shown_to(Rank member, Rank i) const {
  return way_ == EventualWay::slices ? member_of(1 + (number_of(member) + i) % hubs()) : receiver(member, 0);
}

}  // namespace polder::coll
