// What a unit sees of its machine: by hwloc, or without it what the system says.
#pragma once

#include "api/dart/symbols.hpp"

#include <string>

namespace polder::dart {

// `place`: which of the units of this machine it is. One that may run on several cores is said to run on the place-th of them, so that
// units which are not pinned are still apart, and the answer does not change. Some 10 ms.
dart_hwinfo_t discover_hardware(const std::string& host, unsigned place);

}  // namespace polder::dart
