// What can be set for the runtime as a whole.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "util/options.hpp"
#include "util/waiting.hpp"

#include <polder/runtime.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace polder::core {

std::span<const util::Option> options();

// Says, once in a process, which POLDER_ variables of the environment nobody knows.
void report_misspelt_options();

// How this node's ranks wait, from the options and from how many share its cores.
util::WaitOptions wait_options(const bootstrap::Job& job, util::Clock clock);

std::string device_option();       // "auto", "shm", "ucx", ...
std::string network_option();      // "auto", "tcp", "ucx", "ofi"
std::string bootstrap_option();    // "auto", "local", "pmix", "environment"
std::string plugin_path_option();  // folders, separated by ':'; may be empty

// What the environment says where the program says nothing.
Ordering ordering_option(Ordering wanted);
Helper helper_option(Helper wanted);
std::int64_t answer_option_ns();  // for a sign of life of a rank that was lost
bool handoff_option(std::optional<bool> wanted);
std::size_t pool_buffers_option();
std::size_t pool_buffer_bytes_option();

}  // namespace polder::core
