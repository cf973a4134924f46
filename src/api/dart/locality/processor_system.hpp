// What the system says without hwloc: one level, cores, each with one thread.
#pragma once

#include "api/dart/symbols.hpp"

namespace polder::dart {

// As describe_by_hwloc().
int describe_by_system(dart_hwinfo_t& info, unsigned place);

}  // namespace polder::dart
