// A Timeout pinned to the clock: the moment at which a call gives up.
#pragma once

#include "util/clock.hpp"

#include <polder/timeout.hpp>

#include <algorithm>
#include <cstdint>

namespace polder::util {

class Deadline {
 public:
  // Reads the clock only for timeouts that have an end.
  explicit Deadline(Timeout timeout, Clock clock = {}) : clock_(clock) {
    if (timeout.is_test()) {
      at_ = 0;
    } else if (timeout.is_block()) {
      at_ = kNever;
    } else {
      const std::int64_t now = clock_.now_ns();
      at_ = timeout.nanoseconds() > kNever - now ? kNever : now + timeout.nanoseconds();
    }
  }

  bool never() const { return at_ == kNever; }
  bool passed() const { return at_ != kNever && (at_ == 0 || clock_.now_ns() >= at_); }

  // Nanoseconds left, 0 if passed, at most `cap`.
  std::int64_t left(std::int64_t cap) const { return at_ == kNever ? cap : at_ == 0 ? 0 : left(cap, clock_.now_ns()); }
  // The same for who has just looked at the clock.
  std::int64_t left(std::int64_t cap, std::int64_t now) const {
    return at_ == kNever ? cap : std::clamp<std::int64_t>(at_ - now, 0, cap);
  }

  // What is left as a Timeout, to hand on to a call below.
  Timeout remaining() const {
    if (at_ == kNever) return Timeout::block();
    return std::chrono::nanoseconds(left(kNever));
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  Clock clock_;
  std::int64_t at_;
};

}  // namespace polder::util
