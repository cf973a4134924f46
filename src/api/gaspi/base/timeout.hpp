// Milliseconds of GASPI and the timeouts of Polder.
#pragma once

#include "api/common/deadline.hpp"
#include "api/gaspi/base/symbols.hpp"

#include <polder/timeout.hpp>

#include <chrono>

namespace polder::gaspi {

inline Timeout to_timeout(gaspi_timeout_t milliseconds) {
  constexpr gaspi_timeout_t kAge = 1000ul * 3600 * 24 * 365 * 100;  // longer than this is for ever
  if (milliseconds == GASPI_TEST) return Timeout::test();
  if (milliseconds >= kAge) return Timeout::block();
  return std::chrono::milliseconds(milliseconds);
}

class Deadline : public api::Deadline {
 public:
  explicit Deadline(Timeout timeout) : api::Deadline(timeout) {}
  explicit Deadline(gaspi_timeout_t milliseconds) : api::Deadline(to_timeout(milliseconds)) {}

  // What is left in the units of GASPI, rounded up.
  gaspi_timeout_t milliseconds() const {
    const Timeout timeout = left();
    if (timeout.is_block()) return GASPI_BLOCK;
    const std::chrono::nanoseconds nanoseconds(timeout.nanoseconds());
    return gaspi_timeout_t(std::chrono::ceil<std::chrono::milliseconds>(nanoseconds).count());
  }
};

}  // namespace polder::gaspi
