// Time of a thread's outermost calls. Calls arrive in the order in which they end, so those within another come before
// it: what was added for them is taken back when the outer one arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace polder::trace {

// Interval has begin_ns and end_ns.
template <class Interval>
class Outermost {
 public:
  // settle(interval, +1 or -1)
  template <class Settle>
  void add(const Interval& interval, Settle&& settle) {
    while (!recent_.empty() && recent_.back().begin_ns >= interval.begin_ns) {
      settle(recent_.back(), -1);
      recent_.pop_back();
    }
    if (recent_.size() >= kMostRecent) recent_.pop_front();
    recent_.push_back(interval);
    settle(interval, 1);
  }

 private:
  static constexpr std::size_t kMostRecent = 4096;  // calls directly within one call
  std::deque<Interval> recent_;
};

}  // namespace polder::trace
