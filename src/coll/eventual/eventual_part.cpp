#include "coll/eventual/eventual_part.hpp"

#include "coll/eventual/plan_choice.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace polder::coll {
namespace {

constexpr std::uint64_t kWhole = 0xffffffff;  // at the gate, in the place of a member

}  // namespace

EventualPart::EventualPart(Strand& s, WindowPort& window, const EventualSpec& spec)
    : Port(s),
      window_(window),
      spec_(spec),
      layout_(spec, window.size()),
      left_out_(window.size()),
      announcements_(spec.apart) {}

// What is read of others arrives in memory of this object.
EventualPart::~EventualPart() {
  (void)handle_.wait(Completion::local, std::chrono::seconds(5)).ok();
  for (PieceRead& read : reads_.all) (void)read.handle.wait(Completion::local, std::chrono::seconds(5)).ok();
}

void EventualPart::begin(const Wish& wish) {
  wish_ = wish;
  ++number_;
  window_.use_stream(unsigned(number_ % spec_.apart));
  plan_ = choose_plan(wish_, spec_.way, window_.size());
  selection_ = selection_of_call();
  if (!wish.more && wish.enough.choose == Choose::rotating) turned_ = selection_.first + selection_.chosen;
  hash_ = call_of_wish().hash();
  begin_pieces();
  status_ = {};
  failure_ = {};
  set_.assign((window_.size() + 63) / 64, 0);
  ended_ = Ended::thresholds;
  next_ = 0;
  result_from_.reset();
  claimant_.reset();
  fetchable_ = has_told_taken_ = false;
  gate_expected_ = 0;
  deadline_at_ns_ = std::numeric_limits<std::int64_t>::max();
  if (!wish.enough.deadline) return;
  const std::int64_t now = window_.clock().now_ns(), span = wish.enough.deadline->count();
  if (span < deadline_at_ns_ - now) deadline_at_ns_ = now + span;
}

ElementSelection EventualPart::selection_of_call() const {
  ElementSelection selection{.elements = wish_.spec.count, .chosen = wish_.chosen(), .first = 0, .order = {}};
  if (wish_.enough.choose == Choose::order) selection.order = wish_.order;
  if (wish_.enough.choose == Choose::rotating && wish_.spec.count != 0)
    selection.first = (wish_.more ? selection_.first : turned_) % wish_.spec.count;
  return selection;
}

bool EventualPart::is_over_time() const {
  return deadline_at_ns_ != std::numeric_limits<std::int64_t>::max() && window_.clock().now_ns() >= deadline_at_ns_;
}

bool EventualPart::end_as(Ended how) {
  ended_ = how;
  return true;
}

// ---- entering ----

// Flags of the operation that had these places before have arrived, so that
// none of them comes after those of this one. A member that has left it may
// have left this one as well by now.
bool EventualPart::has_room() {
  if (number_ <= spec_.apart) return true;
  draining_ = !window_.is_drained();
  if (draining_) return false;
  const std::uint32_t before = EventualLayout::tag(number_ - spec_.apart);
  for (Rank member = 0; member < window_.size(); ++member) {
    const std::uint32_t left = window_.value_of(layout_.has_left(number_, member));
    if (std::int32_t(left - before) < 0 && !window_.is_gone(member) && !pieces().has_ended(member)) return false;
  }
  return true;
}

void EventualPart::contribute() {
  if (is_sparse())
    selection_.order = largest_of(wish_.send, selection_.elements, selection_.chosen, DataType(wish_.type()));
  selection_.chosen = is_sparse() ? selection_.order.size() : selection_.chosen;
  std::byte* const place = own_contribution();
  const ContributionHead head{number_, call_of_wish()};
  std::memcpy(place, &head, sizeof head);
  selection_.pack(place + sizeof head, wish_.send, element());
  if (is_sparse() && selection_.chosen != 0)
    std::memcpy(place + layout_.indices_of_contribution(), selection_.order.data(), 8 * selection_.chosen);
  status_.sent_ = selection_.bits();
  announcements_[number_ % spec_.apart] = {wish_.enough.mine, hash_};
}

bool EventualPart::announce() {
  const Notification flag{layout_.arrived(number_, window_.me()), tag()};
  const std::size_t place = layout_.announcement(number_, window_.me());
  const Announcement& mine = announcements_[number_ % spec_.apart];
  const bool is_reduce = wish_.kind == Kind::reduce;
  const Rank readers = is_reduce ? plan_.shown_to(window_.me()) : window_.size();
  for (; next_ < readers + is_reduce; ++next_) {
    const Rank reader = !is_reduce ? next_ : next_ == readers ? wish_.root : plan_.shown_to(window_.me(), next_);
    if (!window_.put(reader, place, &mine, sizeof mine, flag)) return false;
  }
  next_ = 0;
  return true;
}

bool EventualPart::tell_all(NotificationId flag, std::uint32_t value) {
  for (; next_ < window_.size(); ++next_)
    if (!window_.raise(next_, flag, value)) return false;
  next_ = 0;
  return true;
}

bool EventualPart::tell_left() {
  return tell_all(layout_.has_left(number_, window_.me()), has_told_taken_ ? left_with_data() : tag());
}

// ---- enough ----

bool EventualPart::has_come(Rank member) const {
  return window_.is_raised(layout_.arrived(number_, member), tag()) && wish_.takes_part(member, window_.size());
}

// Whatever the threshold: those that were in the result that is enhanced, and
// those that were too late too often.
bool EventualPart::is_required(Rank member) const {
  if (wish_.more && EventualStatus::has(last_set_, member)) return true;
  return spec_.patience != 0 && wish_.enough.leave_out == LeaveOut::late && left_out_[member] >= spec_.patience;
}

double EventualPart::weight_of(Rank member) const {
  Announcement announced;
  std::memcpy(&announced, window_.own() + layout_.announcement(number_, member), sizeof announced);
  return announced.weight;
}

// What one that is gone has given cannot be read any more.
bool EventualPart::has_enough() {
  Rank here = 0, to_come = 0;
  double weight = 0;
  bool lacks_required = false;
  std::fill(set_.begin(), set_.end(), 0);
  for (Rank member = 0; member < window_.size(); ++member) {
    if (is_away(member) || !wish_.takes_part(member, window_.size())) continue;
    if (has_come(member)) {
      ++here, weight += weight_of(member);
      set_bit(set_, member);
    } else {
      ++to_come;
      lacks_required = lacks_required || is_required(member);
    }
  }
  const bool reached =
      here >= wish_.needed(window_.size()) || (wish_.enough.weight > 0 && weight >= wish_.enough.weight);
  if (reached && !lacks_required) return end_as(Ended::thresholds);
  if (to_come == 0) return end_as(Ended::deaths);
  return is_over_time() && end_as(Ended::deadline);
}

bool EventualPart::has_enough_or_result() {
  return find_result() || has_enough();
}

bool EventualPart::find_result() {
  for (Rank member = 0; member < window_.size() && !result_from_; ++member)
    if (member != window_.me() && window_.is_raised(layout_.has_result(number_, member), tag()) &&
        !window_.is_gone(member))
      result_from_ = member;
  return has_result();
}

// ---- the gate ----

// Two members that do not know the same of who is dead may claim at two gates:
// then there are two results, each with a status of its own that is true.
//
// One that has put all pieces together claims for the whole, before it takes
// it, and all others that do so are content with it. Who wants to make a result
// of its own then finds that: the whole has been taken by a member, so each can
// have it, unless one dies. A result that is made is written over pieces that
// others may be reading: they find its maker at the gate when they have read
// them.
Rank EventualPart::gate_member() const {
  Rank member = 0;
  while (member != window_.me() && window_.is_gone(member)) ++member;
  return member;
}

bool EventualPart::claim() {
  while (true) {
    if (!swapping_) {
      gate_ = gate_member();
      if (gate_ != 0) spoil();  // another gate may say something else
    }
    const std::uint64_t whole = number_ << 32 | kWhole;
    const std::uint64_t wanted = is_whole_ ? whole : number_ << 32 | (std::uint64_t{window_.me()} + 1);
    if (!swapping_) {
      gate_old_ = ~gate_expected_;
      if (!window_.compare_swap(gate_old_, gate_, layout_.gate(number_), gate_expected_, wanted, handle_)) return false;
      swapping_ = true;
    }
    const WindowPort::Fetched outcome = window_.look_at(handle_, gate_);
    if (outcome == WindowPort::Fetched::under_way) return false;
    swapping_ = false;
    if (outcome == WindowPort::Fetched::failed || gate_old_ == ~gate_expected_) {
      if (!window_.trouble().ok()) return false;
      continue;  // it is gone
    }
    is_agreed_ =
        is_whole_ ? gate_old_ == gate_expected_ || gate_old_ == whole : gate_old_ == whole && can_become_whole();
    if (is_agreed_) return true;
    if (gate_old_ == gate_expected_ || gate_old_ == wanted) {
      claimant_ = window_.me();
      spoil();
      return true;
    }
    const Rank other = Rank(gate_old_ & 0xffffffff) - 1;
    gate_expected_ = gate_old_;
    if (gate_old_ >> 32 != (number_ & 0xffffffff)) continue;
    spoil();
    if (other >= window_.size() || is_away(other)) continue;
    claimant_ = other;
    return true;
  }
}

bool EventualPart::has_claimant_ended() {
  return find_result() || is_away(*claimant_);
}

// ---- rooted ones ----

bool EventualPart::has_verdict() {
  if (window_.is_raised(layout_.has_result(number_, wish_.root), tag())) result_from_ = wish_.root;
  if (has_result()) return true;
  if (is_away(wish_.root)) {
    failure_ = Status(Code::peer_failed,
                      "eventual reduce: the root, rank " + std::to_string(window_.rank_of(wish_.root)) + ", is gone",
                      Died::operation);
    return true;
  }
  return is_over_time() && end_as(Ended::deadline);
}

bool EventualPart::has_root_come() {
  fetchable_ = window_.is_raised(layout_.arrived(number_, wish_.root), tag());
  if (fetchable_) return true;
  if (is_away(wish_.root)) {
    failure_ = Status(Code::peer_failed,
                      "eventual broadcast: the root, rank " + std::to_string(window_.rank_of(wish_.root)) + ", is gone",
                      Died::operation);
    return true;
  }
  return is_over_time() && end_as(Ended::deadline);
}

bool EventualPart::have_enough_taken() {
  Rank have = 0, may = 0;
  bool any_gone = false, lacks_required = false;
  for (Rank member = 0; member < window_.size(); ++member) {
    if (!wish_.takes_part(member, window_.size())) continue;
    const bool has = has_taken(member), is_gone = is_away(member);
    const std::uint32_t left = window_.value_of(layout_.has_left(number_, member));
    have += has;
    const bool may_take = !has && !is_gone && std::int32_t(left - tag()) < 0;
    may += may_take;
    lacks_required = lacks_required || (may_take && wish_.more && EventualStatus::has(last_set_, member));
    any_gone = any_gone || (!has && is_gone);
  }
  if (have >= wish_.needed(window_.size()) && !lacks_required) return end_as(Ended::thresholds);
  // Those that live and have left without it came to their own deadline, or made another call.
  if (may == 0) return end_as(any_gone ? Ended::deaths : Ended::deadline);
  return is_over_time() && end_as(Ended::deadline);
}

// The flag that it has left may overtake the one that it has the data, and says so, too.
bool EventualPart::has_taken(Rank member) const {
  return member == window_.me() || window_.is_raised(layout_.has_result(number_, member), tag()) ||
         window_.value_of(layout_.has_left(number_, member)) == left_with_data();
}

bool EventualPart::tell_taken() {
  has_told_taken_ = window_.raise(wish_.root, layout_.has_result(number_, window_.me()), tag());
  return has_told_taken_;
}

}  // namespace polder::coll
