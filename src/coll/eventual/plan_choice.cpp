#include "coll/eventual/plan_choice.hpp"

#include <algorithm>
#include <bit>

namespace polder::coll {
namespace {

// us, and us a byte.
constexpr double kLatency = 1.5, kOverhead = 0.3, kByte = 8e-5, kCombining = 2e-5;
// From a flag that is raised until what it speaks of has been read: o + L + o,
// and a get of 2 (o + L).
constexpr double kHop = 3 * kLatency + 4 * kOverhead;

struct Costs {
  double members, bytes;
  bool combines, is_for_all;

  double others() const { return members - 1; }
  double stages() const { return double(std::bit_width(unsigned(members) - 1)); }
  // Most bits of a number below that of the members.
  double hops() const {
    const auto last = unsigned(members) - 1;
    return std::max(std::popcount(last), int(std::bit_width(last)) - 1);
  }
  double moved() const { return bytes * kByte; }
  double combined() const { return combines ? bytes * kCombining : 0; }

  // A broadcast: all read of the root at the same time. A reduce: the root
  // reads one after the other.
  double flat() const {
    const double out = kHop + others() * std::max(kOverhead, moved());
    const double in = kHop + others() * (2 * (kLatency + kOverhead) + moved() + combined());
    return combines ? in + (is_for_all ? out : 0) : out;
  }
  // All wait for the root to tell them that it has come, and it tells one after
  // the other.
  double binomial() const {
    return (combines ? 0 : others() * kOverhead) + hops() * kHop + stages() * (moved() + combined());
  }
  // Two hops. Each member shows to all others, and reads of them; the last
  // round travels alone. Where all need all, each reads twice as much.
  double slices(unsigned rounds) const {
    return 2 * kHop + 2.0 * rounds * others() * kOverhead + (moved() + combined()) * (1 + 1.0 / rounds) +
           (is_for_all ? kHop + moved() : 0);
  }
};

// All members count, or those of some stages: none is chosen by when it comes.
bool is_static(const Wish& wish, Rank members) {
  if (wish.enough.choose == Choose::largest) return false;
  if (wish.kind != Kind::broadcast && wish.enough.weight > 0) return false;
  return wish.enough.leave_out == LeaveOut::stages || wish.needed(members) == members;
}

EventualWay fastest(const Costs& costs, bool has_tree, unsigned rounds) {
  EventualWay way = EventualWay::flat;
  double least = costs.flat();
  if (has_tree && costs.binomial() < least) way = EventualWay::binomial, least = costs.binomial();
  return costs.slices(rounds) < least ? EventualWay::slices : way;
}

}  // namespace

PiecePlan choose_plan(const Wish& wish, EventualWay way, Rank members) {
  const Rank taking_part = wish.enough.leave_out == LeaveOut::stages ? wish.needed(members) : members;
  const bool combines = wish.kind != Kind::broadcast, is_for_all = wish.kind == Kind::allreduce;
  const bool ascending = combines && (!wish.spec.commutes || wish.spec.same_in_any_layout);
  const bool has_tree = !ascending && !is_for_all;
  const Costs costs{double(taking_part), double(wish.chosen() * wish.spec.element_size) * wish.stands_for, combines,
                    is_for_all};
  unsigned rounds = 1;
  for (unsigned more = 2; more <= kMostRounds; more *= 2)
    if (costs.slices(more) < costs.slices(rounds)) rounds = more;
  // Those that are left out of an allreduce have its result all the same.
  if (taking_part < 3 || (is_for_all && taking_part < members) || !is_static(wish, members)) way = EventualWay::flat;
  if (way == EventualWay::fastest) way = fastest(costs, has_tree, rounds);
  if (way == EventualWay::binomial && !has_tree) way = EventualWay::slices;
  const PiecePlan plan(way, wish.root, members, taking_part, wish.chosen(), rounds);
  return is_for_all && way == EventualWay::slices ? plan.for_all() : plan;
}

}  // namespace polder::coll
