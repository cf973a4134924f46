// Copying where most copies are small.
#pragma once

#include "util/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::util {

// Like memmove; an aligned copy of 4 or 8 bytes is one store, so a reader never sees half of it.
POLDER_ALWAYS_INLINE void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 8) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    std::memcpy(to, &word, 8);
  } else if (bytes == 4) {
    std::uint32_t word;
    std::memcpy(&word, from, 4);
    std::memcpy(to, &word, 4);
  } else if (bytes != 0) {
    std::memmove(to, from, bytes);
  }
}

}  // namespace polder::util
