// The clock by which a recorder tells events: the processor's counter where that can be trusted, for it costs a third of
// the kernel's clock and two are read in each call.
#pragma once

#include "trace/format/file.hpp"
#include "util/clock.hpp"
#include "util/platform.hpp"

#include <cstdint>
#include <memory>

namespace polder::trace {

// What is wrong with a machine's clock, for tests of what puts clocks right: it shows offset_ns more than it should at the
// machine's start, and goes faster by so many millionths.
struct ClockFault {
  std::int64_t offset_ns = 0;
  std::int64_t drift_ppm = 0;

  bool any() const { return offset_ns != 0 || drift_ppm != 0; }
};

class Ticks {
 public:
  // A simulation's time where `clock` has one.
  explicit Ticks(util::Clock clock, const ClockFault& fault = {});

  ClockSource source() const { return cycles_ ? ClockSource::cycles : ClockSource::monotonic; }

  POLDER_ALWAYS_INLINE std::int64_t now() const {
    if (cycles_) [[likely]]
      return std::int64_t(util::cycles());
    return clock_.now_ns();
  }

  // A time of the clock, at most some seconds ago, as ticks.
  std::int64_t at(std::int64_t monotonic_ns) const;

  bool simulated() const { return clock_.simulated() != nullptr && faulty_ == nullptr; }

  // All clocks together, to some ten nanoseconds.
  ClockReading read() const;

 private:
  class FaultyTime;

  util::Clock clock_;
  std::shared_ptr<FaultyTime> faulty_;  // the time of clock_, where a fault was asked for
  bool cycles_ = false;
  double ticks_per_ns_ = 1;
};

}  // namespace polder::trace
