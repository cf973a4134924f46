// What the fabric does to memory that others may use at the same time.
//
// Words are loaded and stored as relaxed atomics: two ranks that meet on a word see one value or the other, as on
// hardware, and the language allows it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polder::device::sim {

void copy_to_remote(std::byte* remote, const std::byte* local, std::size_t bytes);
void copy_from_remote(std::byte* local, const std::byte* remote, std::size_t bytes);

}  // namespace polder::device::sim
