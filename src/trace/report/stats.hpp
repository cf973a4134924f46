// An analysis for a terminal, for programs, and beside another one.
#pragma once

#include "trace/analyse/findings.hpp"

#include <string>

namespace polder::trace {

// For a person: losses in words, efficiencies, ranks, calls.
std::string stats_text(const Analysis& analysis);

// The same numbers as one JSON object; times are nanoseconds.
std::string stats_json(const Analysis& analysis);

// What became slower or faster from `before` to `after`, largest change first.
std::string diff_text(const Analysis& before, const Analysis& after);

}  // namespace polder::trace
