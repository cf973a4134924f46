#include "coll/stale/stale_news.hpp"

#include <utility>

namespace polder::coll {
namespace {

// Bits of what a member says when it fails, and of its last word: its clock, as far as there is room.
constexpr std::uint32_t kFailed = 1u << 31, kEnded = 1u << 30, kClock = kEnded - 1;

}  // namespace

// A flag's value: why, an error code and the member. A value that makes no sense is a failure of the one that tells it.
std::optional<StaleNews::Trouble> StaleNews::told_by(Rank member) const {
  for (const NotificationId flag : {ends_flag(member), fails_flag(member)}) {
    const std::uint32_t value = window_.value_of(flag);
    if ((value & kFailed) == 0) continue;
    const Rank failed = Rank((value & ~kFailed) >> 8);
    const std::uint32_t code = value >> 2 & 63;
    const bool makes_sense = failed < window_.size() && code <= std::uint32_t(Code::owner_died);
    return makes_sense ? Trouble{Why(value & 3), failed, Code(code)} : Trouble{Why::combining, member, Code::system};
  }
  return {};
}

std::optional<StaleNews::Trouble> StaleNews::trouble_of_others() const {
  if (window_.is_quiet(first_)) return {};
  for (Rank member = 0; member < window_.size(); ++member) {
    if (member == window_.me()) continue;
    if (const auto told = told_by(member)) return told;
    if (window_.has_died(member)) return Trouble{Why::died, member, Code::peer_failed};
  }
  return {};
}

std::optional<StaleNews::Trouble> StaleNews::trouble_of_ends(std::uint64_t clock, std::uint64_t slack) const {
  if (window_.is_quiet(first_)) return {};
  for (Rank member = 0; member < window_.size(); ++member) {
    const std::uint32_t ended = window_.value_of(ends_flag(member));
    if (ended == 0 || member == window_.me()) continue;
    if ((ended & kFailed) != 0) return told_by(member);
    const std::uint32_t behind = (std::uint32_t(clock) - ended) & kClock;
    if (behind < kClock / 2 && behind > slack) return Trouble{Why::left, member, Code::peer_failed};
  }
  return {};
}

void StaleNews::fail(const Trouble& trouble, std::uint64_t clock) {
  const std::string rank = "rank " + std::to_string(window_.rank_of(trouble.member));
  const auto text = [&]() -> std::string {
    switch (trouble.why) {
      case Why::died: return rank + " is gone";
      case Why::left: return rank + " has left before it had called often enough";
      case Why::other_slack: return rank + " called with another slack in call " + std::to_string(clock);
      case Why::combining:
        return trouble.code == Code::invalid_argument ? rank + " found that another member made another call"
                                                      : "combining failed at " + rank;
    }
    return rank;
  }();
  failure_ = Status(trouble.code, what_ + (": " + text), Died::operation);
  failure_value_ =
      kFailed | std::uint32_t(trouble.why) | std::uint32_t(trouble.code) << 2 | std::uint32_t(trouble.member) << 8;
}

void StaleNews::fail(Status status) {
  fail(Trouble{Why::combining, window_.me(), status.code()}, 0);
  failure_ = std::move(status);
}

bool StaleNews::tell() {
  if (!has_failed()) return true;
  for (; told_failure_ < window_.size(); ++told_failure_)
    if (!window_.raise(told_failure_, fails_flag(window_.me()), failure_value_)) return false;
  return true;
}

bool StaleNews::ends(std::uint64_t clock) {
  const std::uint32_t word = has_failed() ? failure_value_ : kEnded | (std::uint32_t(clock) & kClock);
  while (told_last_word_ < window_.size() && window_.raise(told_last_word_, ends_flag(window_.me()), word))
    ++told_last_word_;
  for (Rank member = 0; member < window_.size(); ++member)
    if (window_.value_of(ends_flag(member)) == 0 && !has_gone(member)) return false;
  return told_last_word_ == window_.size();
}

bool StaleNews::goes() {
  while (told_going_ < window_.size() && window_.raise(told_going_, goes_flag(window_.me()), 1)) ++told_going_;
  return told_going_ == window_.size();
}

}  // namespace polder::coll
