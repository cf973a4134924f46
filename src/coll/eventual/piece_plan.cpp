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
  return i / (hubs() - 1) * hubs() + (own + 1 + i % (hubs() - 1)) % hubs();
}

// ---- a reduce ----

std::uint32_t PiecePlan::jobs(Rank member) const {
  if (!takes_part(member)) return 0;
  if (member == root_) return pieces_;
  return way_ == EventualWay::slices ? pieces_ / hubs() : children(number_of(member)) != 0;
}

std::uint32_t PiecePlan::job(Rank member, std::uint32_t i) const {
  return way_ == EventualWay::slices && member != root_ ? i * hubs() + number_of(member) - 1 : i;
}

Rank PiecePlan::parts(Rank member) const {
  if (way_ == EventualWay::slices) return member == root_ ? 1 : taking_part_;
  return 1 + children(number_of(member));
}

PiecePlan::Part PiecePlan::part(std::uint32_t piece, Rank member, Rank i) const {
  if (way_ == EventualWay::slices) return member == root_ ? Part{member_of(hub(piece)), true} : Part{participant(i)};
  if (i == 0) return {member};
  const Rank child = number_of(member) + (Rank{1} << (i - 1));
  return {member_of(child), children(child) != 0};
}

Rank PiecePlan::receiver(Rank member) const {
  const Rank number = number_of(member);
  return way_ == EventualWay::slices ? root_ : member_of(number & (number - 1));
}

Rank PiecePlan::shown_to(Rank member) const {
  if (way_ == EventualWay::slices) return hubs();
  return way_ == EventualWay::binomial && member != root_;
}

Rank PiecePlan::shown_to(Rank member, Rank i) const {
  return way_ == EventualWay::slices ? member_of(1 + (number_of(member) + i) % hubs()) : receiver(member);
}

}  // namespace polder::coll
