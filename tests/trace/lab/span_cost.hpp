// What it costs to record a call.
#pragma once

#include "common/arguments.hpp"

namespace bench {

void measure_span(const Arguments& arguments);

}  // namespace bench
