// How much memory there is for a job.
#pragma once

#include <polder/status.hpp>

#include <cstdint>

namespace apps {

// Bytes that the processes of this node can use without swapping: MemAvailable, or what the control group still allows
// if that is less.
polder::Result<std::uint64_t> available_memory();

}  // namespace apps
