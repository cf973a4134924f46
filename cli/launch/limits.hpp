// Whether this machine can hold the job at all, asked before anything is started.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/resource.h>

namespace polder::cli {

// Lets this process open `count` files. `before` receives the limits that its children shall have again. limit: the
// hard limit is lower.
Status allow_descriptors(std::size_t count, rlimit& before);

// limit: `processes` do not fit the free memory even if each takes only what an empty program takes.
Status check_memory(Rank processes);

// Bytes that programs can still get, as /proc/meminfo has it.
std::optional<std::uint64_t> available_memory();

}  // namespace polder::cli
