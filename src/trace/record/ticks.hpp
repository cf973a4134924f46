// The clock by which a recorder tells events: the processor's counter where that can be trusted, for it costs a third of
// the kernel's clock and two are read in each call.
#pragma once

#include "trace/format/file.hpp"
#include "util/clock.hpp"
#include "util/platform.hpp"

#include <cstdint>

namespace polder::trace {

class Ticks {
 public:
  // A simulation's time where `clock` has one.
  explicit Ticks(util::Clock clock);

  ClockSource source() const { return cycles_ ? ClockSource::cycles : ClockSource::monotonic; }

  POLDER_ALWAYS_INLINE std::int64_t now() const {
    if (cycles_) [[likely]]
      return std::int64_t(util::cycles());
    return clock_.now_ns();
  }

  // A time of the clock, at most some seconds ago, as ticks.
  std::int64_t at(std::int64_t monotonic_ns) const;

  bool simulated() const { return clock_.simulated() != nullptr; }

  // All clocks together, to some ten nanoseconds.
  ClockReading read() const;

 private:
  util::Clock clock_;
  bool cycles_ = false;
  double ticks_per_ns_ = 1;
};

}  // namespace polder::trace
