// The clock by which a rank's timeouts run, for libraries above that bound a call of theirs which waits several times.
#pragma once

#include <polder/export.hpp>
#include <polder/runtime.hpp>

#include <cstdint>

namespace polder {

// Nanoseconds of the machine's monotonic clock; where a simulation makes the time (SimulationOptions::deterministic), of that.
// Callable from any thread, also beside other calls; never waits.
POLDER_API std::int64_t now_ns(const Runtime& rt);

}  // namespace polder
