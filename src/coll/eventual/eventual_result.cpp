// How a result is made of contributions, read by the others, and brought into the buffer and the status of a member.
#include "coll/eventual/eventual_part.hpp"
#include "coll/port/elements.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {

// ---- reading what others show ----

// False: it is not posted yet. What was lost is found by got().
bool EventualPart::get_once(void* into, Rank member, std::uint64_t offset, std::size_t bytes) {
  return bytes == 0 || window_.get(into, member, offset, bytes, handle_);
}

Got EventualPart::got(Rank member) {
  const WindowPort::Fetched outcome = window_.look_at(handle_, member);
  if (outcome == WindowPort::Fetched::under_way) return Got::not_yet;
  getting_ = false;
  return outcome == WindowPort::Fetched::failed || window_.is_gone(member) ? Got::lost : Got::yes;
}

// True once it lies in fetched_, or is known to be lost: then its head has another number.
bool EventualPart::fetch_contribution(Rank member) {
  const std::size_t bytes = sizeof(ContributionHead) + selection_.chosen * element();
  if (!getting_) {
    fetched_.assign(std::max(fetched_.size(), bytes), std::byte{});
    fetched_indices_.resize(is_sparse() ? selection_.chosen : 0);
    const std::size_t there = layout_.contribution(number_);
    if (!get_once(fetched_.data(), member, there, bytes) ||
        !get_once(fetched_indices_.data(), member, there + layout_.indices_of_contribution(),
                  8 * fetched_indices_.size()))
      return false;
    getting_ = true;
  }
  switch (got(member)) {
    case Got::not_yet: return false;
    case Got::lost: std::memset(fetched_.data(), 0, sizeof(ContributionHead)); return true;
    case Got::yes: return true;
  }
  return true;
}

// ---- making it ----

void EventualPart::begin_result() {
  result_head() = {.number = number_, .call = call_of_wish(), .ended = std::uint32_t(ended_)};
  has_lost_ = false;
  const EventualStatus::Bits& before = last_set_;
  const auto lacks = [&](Rank member) { return EventualStatus::has(before, member) && !is_in_set(member); };
  for (Rank member = 0; wish_.more && member < window_.size(); ++member)
    if (lacks(member) && !is_away(member)) result_head().kept = 1;
  if (is_sparse()) {
    sums_.resize(wish_.vector());
    sum_counts_.assign(wish_.spec.count, 0);
    sparse_next_ = 0;
  }
  next_ = result_head().kept != 0 ? window_.size() : 0;
}

bool EventualPart::combine_next() {
  while (next_ < window_.size() && !is_in_set(next_)) ++next_;
  if (is_combined()) return true;
  if (!fetch_contribution(next_)) return false;
  ContributionHead head;
  std::memcpy(&head, fetched_.data(), sizeof head);
  if (head.number != number_) {
    set_[next_ / 64] &= ~(std::uint64_t{1} << next_ % 64);  // it died, and its contribution with it
    has_lost_ = true;
  } else if (head.call != result_head().call) {
    note_mismatch(next_, head.call);
  } else if (Status status = add_fetched(); !status.ok()) {
    if (status.timed_out()) return false;
    failure_ = std::move(status);
    result_head().code = std::uint32_t(failure_.code());
  } else {
    result_head().weight += weight_of(next_);
  }
  ++next_;
  return true;
}

void EventualPart::note_mismatch(Rank member, const EventualCall& there) {
  result_head().code = std::uint32_t(Code::invalid_argument);
  result_head().offender = member;
  result_head().offending = there;
}

Status EventualPart::mismatch(Rank member, const EventualCall& there) const {
  return {Code::invalid_argument,
          "eventual " + std::string(to_string(wish_.kind)) + ": rank " + std::to_string(window_.rank_of(member)) +
              " made another call (" + call_of_wish().difference(there) + ")",
          Died::operation};
}

// timeout: the function gave up for now.
Status EventualPart::add_fetched() {
  const std::byte* const values = fetched_.data() + sizeof(ContributionHead);
  ResultHead& head = result_head();
  if (head.code != 0) return {};
  if (is_sparse()) {
    return add_sparse(values, fetched_indices_.data());
  }
  std::byte* const sum = own_result() + layout_.values_of_result();
  if (head.chosen == 0) {
    std::memcpy(sum, values, selection_.chosen * element());
    head.chosen = selection_.chosen;
    return {};
  }
  return combine_guarded(wish_.spec.combine, sum, values, sum, selection_.chosen);
}

// Goes on where a function gave up for now.
Status EventualPart::add_sparse(const std::byte* values, const std::uint64_t* indices) {
  for (; sparse_next_ < selection_.chosen; ++sparse_next_) {
    const std::size_t i = sparse_next_;
    const std::uint64_t at = indices[i];
    if (at >= sum_counts_.size()) continue;
    std::byte* const sum = sums_.data() + at * element();
    const std::byte* const value = values + i * element();
    if (sum_counts_[at] == 0)
      std::memcpy(sum, value, element());
    else if (Status status = combine_guarded(wish_.spec.combine, sum, value, sum, 1); !status.ok())
      return status;
    ++sum_counts_[at];
  }
  sparse_next_ = 0;
  return {};
}

void EventualPart::pack_sparse() {
  std::byte* const base = own_result();
  auto* const indices = reinterpret_cast<std::uint64_t*>(base + layout_.indices_of_result());
  auto* const counts = reinterpret_cast<std::uint32_t*>(base + layout_.counts_of_result());
  std::size_t touched = 0;
  for (std::size_t at = 0; at < sum_counts_.size(); ++at) {
    if (sum_counts_[at] == 0) continue;
    std::memcpy(base + layout_.values_of_result() + touched * element(), sums_.data() + at * element(), element());
    indices[touched] = at;
    counts[touched++] = sum_counts_[at];
  }
  result_head().chosen = touched;
}

void EventualPart::end_result() {
  ResultHead& head = result_head();
  head.ended = std::uint32_t(ended_);
  if (is_sparse()) pack_sparse();
  std::memset(own_result() + sizeof head, 0, layout_.member_bytes());
  std::memcpy(own_result() + sizeof head, set_.data(), 8 * set_.size());
  next_ = 0;
}

bool EventualPart::publish() {
  if (!tell_all(layout_.has_result(number_, window_.me()), tag())) return false;
  result_from_ = window_.me();
  return true;
}

// ---- reading it ----

bool EventualPart::fetch_head() {
  const std::size_t bytes = layout_.values_of_result();
  if (!getting_) {
    fetched_.assign(std::max(fetched_.size(), bytes), std::byte{});
    if (!get_once(fetched_.data(), *result_from_, layout_.result(number_), bytes)) return false;
    getting_ = true;
  }
  const Got outcome = got(*result_from_);
  if (outcome == Got::not_yet) return false;
  const auto& head = *reinterpret_cast<const ResultHead*>(fetched_.data());
  if (outcome == Got::lost || head.number != number_) result_from_.reset();
  return true;
}

// None of a call with other elements, which may be more or larger than there is room for: take_result() says so.
bool EventualPart::fetch_values() {
  if (!result_from_) return true;
  const auto& head = *reinterpret_cast<const ResultHead*>(fetched_.data());
  if (head.code != 0 || head.kept != 0 || head.call != call_of_wish()) return true;
  const std::size_t chosen = head.chosen;
  const std::size_t bytes = layout_.counts_of_result() + 4 * (is_sparse() ? chosen : 0);
  if (!getting_) {
    if (fetched_.size() < bytes) fetched_.resize(bytes);
    const auto part = [&](std::size_t at, std::size_t length) {
      return get_once(fetched_.data() + at, *result_from_, layout_.result(number_) + at, length);
    };
    if (!part(layout_.values_of_result(), chosen * element())) return false;
    if (is_sparse() && !(part(layout_.indices_of_result(), 8 * chosen) && part(layout_.counts_of_result(), 4 * chosen)))
      return false;
    getting_ = true;
  }
  const Got outcome = got(*result_from_);
  if (outcome == Got::not_yet) return false;
  if (outcome == Got::lost) result_from_.reset();
  return true;
}

bool EventualPart::fetch_from_root() {
  if (!fetch_contribution(wish_.root)) return false;
  ContributionHead head;
  std::memcpy(&head, fetched_.data(), sizeof head);
  if (head.number != number_)
    failure_ = Status(Code::peer_failed, "eventual broadcast: the root died", Died::operation);
  else if (head.call != call_of_wish())
    failure_ = mismatch(wish_.root, head.call);
  return true;
}

// ---- taking it ----

void EventualPart::take_fetched_result() {
  if (has_failed()) return;
  if (result_from_) return take_result(*reinterpret_cast<const ResultHead*>(fetched_.data()), fetched_.data());
  if (wish_.kind == Kind::allreduce) {
    claimant_.reset();  // whoever had the result is gone: another one makes it
    return;
  }
  if (window_.is_gone(wish_.root))
    failure_ = Status(Code::peer_failed, "eventual reduce: the root is gone", Died::operation);
  take_nothing();
}

void EventualPart::take_result(const ResultHead& head, const std::byte* base) {
  const bool fits = head.call == call_of_wish();
  if (head.code != 0 || !fits) {
    if (failure_.ok() && !fits) failure_ = mismatch(*result_from_, head.call);
    if (failure_.ok() && head.offending.kind != 0) failure_ = mismatch(Rank(head.offender), head.offending);
    if (failure_.ok())
      failure_ = Status(Code(head.code),
                        "eventual " + std::string(to_string(wish_.kind)) + ": combining failed at rank " +
                            std::to_string(window_.rank_of(*result_from_)),
                        Died::operation);
    return;
  }
  if (head.kept != 0) {
    status_ = last_;
    status_.ended = Ended(head.ended);
    return;
  }
  std::memcpy(set_.data(), base + sizeof head, 8 * set_.size());
  status_.ended = Ended(head.ended);
  status_.weight = head.weight;
  for (Rank member = 0; member < window_.size(); ++member)
    if (is_in_set(member)) status_.contributors.push_back(member);
  status_.mine = is_in_set(window_.me()) ? Counted::yes : Counted::no;
  take_values(head, base);
  count_left_out();
  last_set_ = set_;
  last_ = status_;
}

void EventualPart::take_values(const ResultHead& head, const std::byte* base) {
  const bool wanted = wish_.kind == Kind::allreduce || is_root();
  if (!wanted || head.chosen == 0) return;
  if (is_sparse()) return take_sparse(head, base);
  selection_.unpack(wish_.receive, base + layout_.values_of_result(), element());
  status_.final_ = status_.touched_ = selection_.bits();
  status_.elements = selection_.chosen;
}

void EventualPart::take_sparse(const ResultHead& head, const std::byte* base) {
  const auto* const indices = reinterpret_cast<const std::uint64_t*>(base + layout_.indices_of_result());
  const auto* const counts = reinterpret_cast<const std::uint32_t*>(base + layout_.counts_of_result());
  status_.final_.assign((wish_.spec.count + 63) / 64, 0);
  status_.touched_ = status_.final_;
  for (std::size_t i = 0; i < head.chosen; ++i) {
    std::memcpy(wish_.receive + indices[i] * element(), base + layout_.values_of_result() + i * element(), element());
    set_bit(status_.touched_, indices[i]);
    if (counts[i] != status_.contributors.size()) continue;
    set_bit(status_.final_, indices[i]);
    ++status_.elements;
  }
}

void EventualPart::count_left_out() {
  if (wish_.enough.leave_out != LeaveOut::late) return;
  for (Rank member = 0; member < window_.size(); ++member)
    left_out_[member] = is_in_set(member) ? 0 : left_out_[member] + 1;
}

void EventualPart::take_broadcast() {
  if (has_failed()) return;
  ElementSelection taken = selection_;
  if (is_sparse()) taken.order.assign(fetched_indices_.begin(), fetched_indices_.end());
  const std::byte* const contribution = carries_pieces() ? own_contribution() : fetched_.data();
  taken.unpack(wish_.receive, contribution + sizeof(ContributionHead), element());
  status_.final_ = status_.touched_ = taken.bits();
  status_.elements = taken.chosen;
  status_.contributors = {wish_.root};
  status_.mine = Counted::no;
  status_.ended = ended_;
  last_ = status_;
}

void EventualPart::take_taken() {
  status_.final_ = status_.touched_ = status_.sent_;
  status_.elements = selection_.chosen;
  last_set_.assign(set_.size(), 0);
  for (Rank member = 0; member < window_.size(); ++member) {
    if (!has_taken(member)) continue;
    status_.contributors.push_back(member);
    set_bit(last_set_, member);
  }
  status_.mine = Counted::yes;
  status_.ended = ended_;
  last_ = status_;
}

// What there was before stays. But the root of a reduce may still take what this member has shown for more of it.
void EventualPart::take_nothing() {
  if (has_failed()) return;
  if (wish_.more) status_ = last_;
  if (wish_.kind == Kind::reduce && takes_part() && status_.mine == Counted::no) status_.mine = Counted::unknown;
  status_.ended = ended_;
  last_ = status_;
}

void EventualPart::forget_last() {
  last_ = {};
  last_set_.clear();
}

}  // namespace polder::coll
