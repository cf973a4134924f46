// Causes in words, with the way out.
#pragma once

#include "trace/analyse/findings.hpp"

#include <cstdint>
#include <string>

namespace polder::trace {

// "12.3 ms"
std::string duration_text(std::int64_t ns);

// Fills in what a loss says to a person.
void put_into_words(Loss& loss);

}  // namespace polder::trace
