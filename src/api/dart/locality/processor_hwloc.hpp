// Cores, caches and memory of this machine by hwloc. Only where it was built with.
#pragma once

#include "api/dart/symbols.hpp"

namespace polder::dart {

// Fills in what can be found out of the core that the place-th unit of this machine runs on, and of all others, and returns the number
// that the system gives to its processor. At least the scopes, which end with a core.
int describe_by_hwloc(dart_hwinfo_t& info, unsigned place);

}  // namespace polder::dart
