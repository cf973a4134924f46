// Milliseconds of GASPI and the timeouts of Polder.
#pragma once

#include "api/gaspi/symbols.hpp"

#include <polder/timeout.hpp>

#include <algorithm>
#include <chrono>

namespace polder::gaspi {

inline Timeout to_timeout(gaspi_timeout_t milliseconds) {
  constexpr gaspi_timeout_t kAge = 1000ul * 3600 * 24 * 365 * 100;  // longer than this is for ever
  if (milliseconds == GASPI_TEST) return Timeout::test();
  if (milliseconds >= kAge) return Timeout::block();
  return std::chrono::milliseconds(milliseconds);
}

// The end of a call's patience, for calls that wait more than once.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(Timeout timeout)
      : timeout_(timeout),
        end_(timeout.is_block() ? Clock::time_point::max()
                                : Clock::now() + std::chrono::nanoseconds(timeout.nanoseconds())) {}
  explicit Deadline(gaspi_timeout_t milliseconds) : Deadline(to_timeout(milliseconds)) {}

  // What is left: test() once the time is over.
  Timeout left() const {
    if (timeout_.is_block() || timeout_.is_test()) return timeout_;
    return end_ - Clock::now();
  }
  bool over() const { return !timeout_.is_block() && Clock::now() >= end_; }

  // The end of a nap: at most `nap` from now.
  Clock::time_point nap(std::chrono::nanoseconds nap) const { return std::min(end_, Clock::now() + nap); }

  // What is left in the units of GASPI, rounded up.
  gaspi_timeout_t milliseconds() const {
    if (timeout_.is_block()) return GASPI_BLOCK;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    return left > 0 ? gaspi_timeout_t(left) : GASPI_TEST;
  }

 private:
  Timeout timeout_;
  Clock::time_point end_;
};

}  // namespace polder::gaspi
