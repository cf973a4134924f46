// Whether memory of this process is there.
#pragma once

#include <cstddef>

namespace polder::util {

// True if each byte can be read and written now; also where the system does not say. Reads /proc/self/maps, so it costs
// some microseconds and more where there are many mappings.
bool is_mapped(const void* memory, std::size_t bytes);

}  // namespace polder::util
