// A word with the kernel's scheduler.
#pragma once

#include <cstdint>

namespace polder::util {

// Asks for time slices of `nanoseconds` (100 us to 100 ms; 0: ask for nothing) for the calling thread, unless somebody
// chose another policy than the usual one for it. The thread's share of the core stays the same, but when it wakes it
// goes before threads with longer slices: a rank that slept in a barrier need not wait until a stranger's busy loop has
// used up its turn. Linux 6.12 and newer; older kernels ignore it. Asks once per thread; later calls cost a load.
void ask_for_short_slices(std::int64_t nanoseconds);

}  // namespace polder::util
