// Options of ranks that somebody else started on one machine.
#pragma once

#include "util/options.hpp"

#include <span>
#include <string>

namespace polder::bootstrap::gathered {

std::span<const util::Option> options();

std::string meeting_option();  // the name under which the ranks of a job meet; empty: found by who started them

}  // namespace polder::bootstrap::gathered
