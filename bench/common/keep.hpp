// Holds the optimiser back where a measurement would otherwise be optimised away.
#pragma once

namespace bench {

// What `pointer` points to is as good as read and written here, by somebody whom the compiler does not know.
inline void keep(const void* pointer) {
  __asm__ __volatile__("" : : "r"(pointer) : "memory");
}

}  // namespace bench
