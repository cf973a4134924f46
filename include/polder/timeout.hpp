// How long a call may wait. Every call of Polder that can wait takes one of these.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace polder {

// A span of time with two named ends: `test()` looks once and returns, `block()` waits for as long as it takes.
// A value type of 8 bytes; converts from any std::chrono duration (negative ones count as test()).
class Timeout {
 public:
  static constexpr Timeout test() { return Timeout(0); }
  static constexpr Timeout block() { return Timeout(kForever); }

  template <class Rep, class Period>
  constexpr Timeout(std::chrono::duration<Rep, Period> span)  // NOLINT: implicit, so that callers write 1s
      : nanoseconds_(from(span)) {}

  constexpr bool is_test() const { return nanoseconds_ == 0; }
  constexpr bool is_block() const { return nanoseconds_ == kForever; }

  // Nanoseconds to wait; for block() the largest value there is.
  constexpr std::int64_t nanoseconds() const { return nanoseconds_; }

  friend constexpr bool operator==(Timeout, Timeout) = default;

 private:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  constexpr explicit Timeout(std::int64_t nanoseconds) : nanoseconds_(nanoseconds) {}

  // Saturates: hours::max() must mean "forever" and not wrap to the past.
  template <class Span>
  static constexpr std::int64_t from(Span span) {
    if (span <= Span::zero()) return 0;
    using Seconds = std::chrono::duration<double>;
    if (std::chrono::duration_cast<Seconds>(span).count() > 9.0e9) return kForever;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(span).count();
  }

  std::int64_t nanoseconds_;
};

}  // namespace polder
