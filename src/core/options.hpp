// What can be set for the runtime as a whole.
#pragma once

#include "util/options.hpp"
#include "util/waiting.hpp"

#include <span>
#include <string>

namespace polder::core {

std::span<const util::Option> options();

// How this node's ranks wait, from the options and from how many share its cores.
util::WaitOptions wait_options(int local_ranks, int cores);

std::string device_option();           // "auto", "shm", ...
std::string trace_directory_option();  // empty: no tracing
bool helper_option();                  // false: progress is made by callers only

}  // namespace polder::core
