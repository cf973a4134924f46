// The cores that this process may run on.
#pragma once

namespace polder::util {

// At least 1. Counts the affinity mask, so a job that is confined to 2 of 64 cores knows it.
int usable_cores();

}  // namespace polder::util
