// Atomic updates of memory that this process loads and stores.
#pragma once

#include "api/dart/symbols.hpp"

#include <cstddef>
#include <cstdint>

namespace polder::dart {

// Elements of 16 bytes are copied under a lock, wherever they lie.
inline bool is_aligned(const std::byte* target, std::size_t element) {
  return element > sizeof(std::uint64_t) || reinterpret_cast<std::uintptr_t>(target) % element == 0;
}

// target[i] = target[i] op values[i], each for itself, from element `first` of its call on. REQUIRES: the operation is
// defined for the type; `target` is aligned for it; elements of 16 bytes are this process's own memory, and no other
// process updates them.
void update_elements(std::byte* target, const void* values, std::size_t count, std::size_t first, dart_datatype_t type,
                     dart_operation_t op);
// Of one element, which was `*old` before.
void fetch_update(std::byte* target, const void* value, void* old, dart_datatype_t type, dart_operation_t op);
// Stores `value` if the element is `compare` bit by bit; `*old` is what it was. REQUIRES: 8 bytes at most.
void compare_swap_element(std::byte* target, const void* value, const void* compare, void* old, std::size_t size);

}  // namespace polder::dart
