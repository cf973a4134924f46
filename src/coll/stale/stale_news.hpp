// What ends an object for good whose members do not wait for each other, and how they tell each other: a flag of each
// member for its failure, one for its last word, and one for that it goes though others have not said theirs.
#pragma once

#include "coll/port/window.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace polder::coll {

class StaleNews {
 public:
  enum class Why : std::uint8_t { died, left, other_slack, combining };
  struct Trouble {
    Why why;
    Rank member;
    Code code;
  };
  static constexpr std::uint32_t flags(Rank members) { return 3 * members; }

  // `first`: its flags are those from this one on. `what`: how errors call the object.
  StaleNews(WindowPort& window, std::uint32_t first, const char* what) : window_(window), first_(first), what_(what) {}

  bool has_failed() const { return !failure_.ok(); }
  const Status& failure() const { return failure_; }
  // For good. `clock`: of this member.
  void fail(const Trouble& trouble, std::uint64_t clock);
  // What combines has failed here.
  void fail(Status status);
  // True: all know.
  bool tell();

  // A member has died, or has told of a failure.
  std::optional<Trouble> trouble_of_others() const;
  // A member has said its last word, and either it was a failure, or its clock is more than `slack` behind `clock`.
  std::optional<Trouble> trouble_of_ends(std::uint64_t clock, std::uint64_t slack) const;

  // This member's last word, how it failed or its clock; true: all have said theirs, or are gone.
  bool ends(std::uint64_t clock);
  // This member gives its memory back now, and serves nobody any more; true: all know.
  bool goes();
  // A member has done so, or is gone as far as the window knows: that does not hear of what fails later than it is posted.
  bool has_gone(Rank member) const { return window_.is_gone(member) || window_.value_of(goes_flag(member)) != 0; }

 private:
  NotificationId fails_flag(Rank member) const { return NotificationId(first_ + member); }
  NotificationId ends_flag(Rank member) const { return NotificationId(first_ + window_.size() + member); }
  NotificationId goes_flag(Rank member) const { return NotificationId(first_ + 2 * window_.size() + member); }
  std::optional<Trouble> told_by(Rank member) const;

  WindowPort& window_;
  const std::uint32_t first_;
  const char* const what_;
  Status failure_;
  std::uint32_t failure_value_ = 0;                              // as it is told
  Rank told_failure_ = 0, told_last_word_ = 0, told_going_ = 0;  // to so many members
};

}  // namespace polder::coll
