// Whether this machine can hold the job at all, asked before anything is started.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/resource.h>

namespace polder::cli {

// Lets this process open `count` files, and `better` ones if the hard limit is not lower. `before` receives the limits that its
// children shall have again. limit: the hard limit is lower than `count`.
Status allow_descriptors(std::size_t count, std::size_t better, rlimit& before);

// limit: `processes` do not fit the free memory even if each takes only what an empty program takes.
Status check_memory(Rank processes);

// Bytes that programs can still get, as /proc/meminfo has it.
std::optional<std::uint64_t> available_memory();

}  // namespace polder::cli
