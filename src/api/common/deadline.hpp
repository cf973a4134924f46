// The end of a call's patience, for calls of a door that wait more than once. (What the library itself waits with is
// util/deadline.hpp, which a door, made of public headers only, cannot see.)
#pragma once

#include <polder/timeout.hpp>

#include <algorithm>
#include <chrono>

namespace polder::api {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(Timeout timeout)
      : timeout_(timeout),
        end_(timeout.is_block() ? Clock::time_point::max()
                                : Clock::now() + std::chrono::nanoseconds(timeout.nanoseconds())) {}

  // What is left: test() once the time is over.
  Timeout left() const {
    if (timeout_.is_block() || timeout_.is_test()) return timeout_;
    return end_ - Clock::now();
  }
  bool over() const { return !timeout_.is_block() && Clock::now() >= end_; }

  Clock::time_point end() const { return end_; }

  // The end of a nap: at most `nap` from now.
  Clock::time_point nap(std::chrono::nanoseconds nap) const { return std::min(end_, Clock::now() + nap); }

 private:
  Timeout timeout_;
  Clock::time_point end_;
};

}  // namespace polder::api
