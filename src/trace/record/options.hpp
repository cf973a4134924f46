// What can be set for traces, from the environment.
#pragma once

#include "trace/record/hardware.hpp"
#include "trace/record/recorder.hpp"
#include "util/options.hpp"

#include <polder/status.hpp>

#include <optional>
#include <span>
#include <vector>

namespace polder::trace {

std::span<const util::Option> options();

// Fills in what the environment says. False: this rank is not to be traced. invalid_argument: a variable says what
// nobody understands.
Result<bool> read_environment(RecorderOptions& options);

// What is to be counted in regions of the program. invalid_argument likewise.
Result<std::vector<HardwareCounter>> wanted_counters();

}  // namespace polder::trace
