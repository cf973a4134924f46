// Memory in which a touch may call upon another thread of this process.
#pragma once

#include <cstddef>

namespace polder::device::wire {

// Whether pages of it may be missing until a thread fills them: it is registered with userfaultfd(2). Touches nothing.
// Reads what the kernel says of this process, which takes some milliseconds for each gigabyte in use.
bool pages_may_be_missing(const void* memory, std::size_t size, const char* maps = "/proc/self/smaps");

}  // namespace polder::device::wire
