// How long a leg of an operation takes: a pure function, so that a run can be repeated and a test can foretell it.
#pragma once

#include "device/sim/fabric_options.hpp"

#include <polder/types.hpp>

#include <cstdint>

namespace polder::device::sim {

enum class Leg : std::uint8_t { request, flag, reply };

// `number` counts the operations from `source` to `target`. Between min_delay_ns and max_delay_ns, both possible.
std::int64_t delay_ns(const FabricOptions& options, Rank source, Rank target, std::uint64_t number, Leg leg);

}  // namespace polder::device::sim
