// A Timeout pinned to the clock: the moment at which a call gives up.
#pragma once

#include <polder/timeout.hpp>

#include <time.h>

namespace polder::util {

// Nanoseconds of the monotonic clock; the same clock in every process of the machine.
inline std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// The same clock as of the kernel's last tick: up to 10 ms behind, and a quarter of the price.
inline std::int64_t coarse_now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

class Deadline {
 public:
  // Reads the clock only for timeouts that have an end.
  explicit Deadline(Timeout timeout) {
    if (timeout.is_test()) {
      at_ = 0;
    } else if (timeout.is_block()) {
      at_ = kNever;
    } else {
      const std::int64_t now = now_ns();
      at_ = timeout.nanoseconds() > kNever - now ? kNever : now + timeout.nanoseconds();
    }
  }

  bool never() const { return at_ == kNever; }
  bool passed() const { return at_ != kNever && (at_ == 0 || now_ns() >= at_); }

  // Nanoseconds left, 0 if passed, at most `cap`.
  std::int64_t left(std::int64_t cap) const {
    if (at_ == kNever) return cap;
    if (at_ == 0) return 0;
    const std::int64_t rest = at_ - now_ns();
    return rest < 0 ? 0 : rest < cap ? rest : cap;
  }

  // What is left as a Timeout, to hand on to a call below.
  Timeout remaining() const {
    if (at_ == kNever) return Timeout::block();
    return std::chrono::nanoseconds(left(kNever));
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  std::int64_t at_;
};

}  // namespace polder::util
