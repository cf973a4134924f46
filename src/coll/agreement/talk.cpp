#include "coll/agreement/talk.hpp"

#include "util/assert.hpp"

#include <utility>

namespace polder::coll {

Talk::Talk(Strand& s, Panel& panel, Rank me, Rank size, std::uint64_t name)
    : Port(s),
      panel_(panel),
      me_(me),
      size_(size),
      name_(name),
      own_(Opinion::of(size)),
      gone_(size),
      heard_(Opinion::of(size)),
      gathered_(Opinion::of(size)) {
  own_.stage = Stage::committed;
}

void Talk::begin(std::uint64_t bits) {
  POLDER_ASSERT(own_.number == 0 || is_over());
  own_.previous = own_.value;
  ++own_.number;
  own_.stage = Stage::entered;
  own_.ballot = next_ballot_ = 0;
  bits_ = bits;
  dissenter_ = bits == ~std::uint64_t{0} ? kNoMember : me_;
  accepted_in_ = kNoMember;
  is_first_ballot_ = true;
}

// Before all below this one have come: some of them may wait for something else until they see this. In an agreement
// nobody reads the value of a member that has only entered.
void Talk::begin_openly(std::uint64_t bits, Rank dissenter) {
  begin(bits);
  dissenter_ = dissenter;
  own_.value = contribution();
  panel_.show(own_);
}

// ---- steps ----

void Talk::open_ballot() {
  follow_the_living();
  own_.ballot = next_ballot_;
  own_.stage = Stage::entered;
  own_.accepted_in = kNoMember;
  dirty_ = !std::exchange(is_first_ballot_, false);  // nobody waits for this member to enter the first one
}

// Of a value that was accepted nothing may change: somebody may have decided on it.
void Talk::contribute() {
  own_.value = gathered_.value;
  own_.accepted_in = gathered_.accepted_in;
  move_to(Stage::contributed);
}

void Talk::accept() {
  if (me_ != own_.ballot) own_.value = heard_.value;
  accepted_ = own_.value;
  accepted_in_ = own_.accepted_in = own_.ballot;
  move_to(Stage::accepted);
}

void Talk::move_to(Stage stage) {
  own_.stage = stage;
  dirty_ = true;
}

// Once it has to wait: what follows at once is shown once.
void Talk::show_now() {
  if (!dirty_) return;
  dirty_ = false;
  panel_.show(own_);
  const bool for_those_above = own_.stage != Stage::accepted && own_.stage != Stage::committed;
  if (for_those_above && me_ != own_.ballot) panel_.wake(parent_now());
  if (own_.stage == Stage::contributed || own_.stage == Stage::acknowledged) return;
  pending_.clear();
  push_children(me_);
  while (!pending_.empty()) {
    const Rank member = pending_.back();
    pending_.pop_back();
    if (is_gone(member))
      push_children(member);
    else
      panel_.wake(member);
  }
}

bool Talk::settle(bool ready) {
  if (!ready) show_now();
  return ready;
}

// ---- waiting ----

bool Talk::hear_children(Stage stage) {
  follow_the_living();
  const bool all = go_through_children(stage);
  // Contributions come from below, and a later ballot may be heard of from above.
  if (me_ != own_.ballot && !is_outdated()) listen(parent_now());
  return settle(is_outdated() || all);
}

bool Talk::hear_parent(Stage stage) {
  if (me_ == own_.ballot) return true;
  follow_the_living();
  const bool is_there = has_come(parent_now(), stage);
  return settle(is_outdated() || is_there);
}

// A child that is gone is replaced by its own.
bool Talk::go_through_children(Stage stage) {
  bool all = true;
  begin_gathering();
  pending_.clear();
  push_children(me_);
  while (!pending_.empty() && !is_outdated()) {
    const Rank member = pending_.back();
    pending_.pop_back();
    const bool has = has_come(member, stage);
    if (is_gone(member))
      push_children(member);
    else if (!has)
      all = false;
    else if (stage == Stage::contributed)
      gather(heard_);
  }
  if (all && stage == Stage::contributed && gathered_.accepted_in == kNoMember) gather_failed();
  return all;
}

// ---- gathering ----

// The first agreement settles what the group is called, for all that follow.
Decision Talk::contribution() const {
  return {bits_, dissenter_, gone_, own_.number == 1 ? name_ : own_.previous.incarnation};
}

void Talk::begin_gathering() {
  gathered_.accepted_in = accepted_in_;
  gathered_.value = accepted_in_ == kNoMember ? contribution() : accepted_;
}

// What was accepted in the latest ballot; where nothing was, what all have set.
void Talk::gather(const Opinion& of_child) {
  if (of_child.accepted_in == kNoMember && gathered_.accepted_in == kNoMember)
    return gathered_.value.combine(of_child.value);
  if (of_child.accepted_in == kNoMember) return;
  if (gathered_.accepted_in != kNoMember && gathered_.accepted_in >= of_child.accepted_in) return;
  gathered_.value = of_child.value;
  gathered_.accepted_in = of_child.accepted_in;
}

// All whose place was taken by those below them are among these, and those before the leader, whom somebody found gone.
void Talk::gather_failed() {
  gathered_.value.failed.add(gone_);
  for (Rank member = 0; member < size_; ++member)
    if (member < own_.ballot || (member != me_ && panel_.has_failed(member))) gathered_.value.failed.add(member);
}

// ---- listening ----

bool Talk::has_come(Rank member, Stage stage) {
  return listen(member) && heard_.number == own_.number && heard_.ballot == own_.ballot && heard_.stage >= stage;
}

// False: nothing is known of it, or it is gone.
bool Talk::listen(Rank member) {
  if (panel_.has_failed(member)) return false;
  switch (panel_.look(member, heard_)) {
    case Panel::Look::unseen: return false;
    case Panel::Look::gone: gone_.add(member); return false;
    case Panel::Look::seen: break;
  }
  if (heard_.number == own_.number + 1) learn(heard_.previous);
  if (heard_.number > own_.number + 1) left_behind_ = true;
  if (heard_.number != own_.number) return false;
  if (heard_.stage == Stage::committed) learn(heard_.value);
  if (heard_.ballot > next_ballot_) next_ballot_ = heard_.ballot;
  return true;
}

void Talk::learn(const Decision& decided) {
  own_.value = decided;
  own_.accepted_in = own_.ballot;
  move_to(Stage::committed);
}

// ---- who is where ----
//
// A heap of the members from the leader on: below the one at place i are those at 2i+1 and 2i+2. The place of one that is
// gone is taken by those below it, who look to the next one above.

bool Talk::is_gone(Rank member) {
  return gone_.has(member) || panel_.has_failed(member);
}

void Talk::follow_the_living() {
  while (next_ballot_ < me_ && is_gone(next_ballot_)) ++next_ballot_;
  // Somebody has given this member up. It leads nothing, and waits to be told.
  while (next_ballot_ > me_ && next_ballot_ + 1 < size_ && is_gone(next_ballot_)) ++next_ballot_;
}

Rank Talk::parent_now() {
  Rank place = me_ > own_.ballot ? me_ - own_.ballot : 0;
  do place = place == 0 ? 0 : (place - 1) / 2;
  while (place != 0 && is_gone(own_.ballot + place));
  return own_.ballot + place;
}

void Talk::push_children(Rank member) {
  if (member < own_.ballot) return;
  const std::uint64_t place = member - own_.ballot;
  for (std::uint64_t child = 2 * place + 1; child <= 2 * place + 2; ++child)
    if (own_.ballot + child < size_) pending_.push_back(Rank(own_.ballot + child));
}

}  // namespace polder::coll
