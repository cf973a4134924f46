// What can be set for traces, from the environment.
#pragma once

#include "trace/record/recorder.hpp"
#include "util/options.hpp"

#include <polder/status.hpp>

#include <optional>
#include <span>

namespace polder::trace {

std::span<const util::Option> options();

// Fills in what the environment says. False: this rank is not to be traced. invalid_argument: a variable says what
// nobody understands.
Result<bool> read_environment(RecorderOptions& options);

}  // namespace polder::trace
