// What ends a stale-synchronous allreduce for good, and how members tell each other.
#include "coll/stale/stale_part.hpp"

#include <string>

namespace polder::coll {
namespace {

// Bits of what a member says when it fails, and of its last word: its clock, as far as there is room.
constexpr std::uint32_t kFailed = 1u << 31, kEnded = 1u << 30, kClock = kEnded - 1;

}  // namespace

// A flag's value: why, an error code and the member.
std::optional<StalePart::Trouble> StalePart::told_by(Rank member) const {
  for (const NotificationId flag : {layout_.ends(member), layout_.fails(member)}) {
    const std::uint32_t value = window_.value_of(flag);
    if ((value & kFailed) != 0) return Trouble{Why(value & 3), Rank((value & ~kFailed) >> 8), Code(value >> 2 & 63)};
  }
  return {};
}

std::optional<StalePart::Trouble> StalePart::trouble_of_others() const {
  for (Rank member = 0; member < size(); ++member) {
    if (member == me()) continue;
    if (const auto told = told_by(member)) return told;
    if (window_.has_died(member)) return Trouble{Why::died, member, Code::peer_failed};
  }
  return {};
}

std::uint32_t StalePart::last_word() const {
  return has_failed() ? failure_value_ : kEnded | (std::uint32_t(clock()) & kClock);
}

void StalePart::look_for_trouble() {
  if (has_failed()) return;
  if (const auto trouble = trouble_of_others()) fail(trouble->why, trouble->member, trouble->code);
}

std::optional<StalePart::Trouble> StalePart::trouble_of(const StaleLink& awaited) const {
  const bool is_gone = window_.is_gone(awaited.peer());  // before what it has told, which is the better reason
  if (auto trouble = trouble_of_others()) return trouble;
  for (Rank member = 0; member < size(); ++member) {
    const std::uint32_t ended = window_.value_of(layout_.ends(member));
    if (ended == 0 || member == me()) continue;
    if ((ended & kFailed) != 0) return told_by(member);
    const std::uint32_t behind = (std::uint32_t(clock()) - ended) & kClock;
    if (behind < kClock / 2 && behind > call_.slack) return Trouble{Why::left, member, Code::peer_failed};
  }
  const std::size_t incoming = serves() ? size() : links_.size();
  for (std::size_t at = 0; at < incoming; ++at)
    if (has_other_slack(links_[at])) return Trouble{Why::other_slack, links_[at].peer(), Code::invalid_argument};
  if (is_gone) return Trouble{Why::left, awaited.peer(), Code::peer_failed};
  return {};
}

// It has sent something of this call, or of a later one, that does not fit.
bool StalePart::has_other_slack(const StaleLink& link) const {
  const StaleHead& head = link.head();
  if (head.call == clock() && head.slack != call_.slack) return true;
  if (!is_consistent()) return false;
  if (serves()) return head.call > clock() && server_->published() < clock();
  const StaleHead* const next = link.next();
  return !is_fresh_now(link) && next != nullptr && next->call > clock();
}

void StalePart::fail(Why why, Rank member, Code code) {
  const std::string rank = "rank " + std::to_string(window_.rank_of(member));
  const auto text = [&]() -> std::string {
    switch (why) {
      case Why::died: return rank + " is gone";
      case Why::left: return rank + " has left before it had called often enough";
      case Why::other_slack: return rank + " called with another slack in call " + std::to_string(clock());
      case Why::combining: return "combining failed at " + rank;
    }
    return rank;
  }();
  failure_ = Status(code, "stale allreduce: " + text, Died::operation);
  failure_value_ = kFailed | std::uint32_t(why) | std::uint32_t(code) << 2 | std::uint32_t(member) << 8;
}

// True: all know.
bool StalePart::tell_failure() {
  if (!has_failed()) return true;
  for (; told_failure_ < size(); ++told_failure_)
    if (!window_.raise(told_failure_, layout_.fails(me()), failure_value_)) return false;
  return true;
}

}  // namespace polder::coll
