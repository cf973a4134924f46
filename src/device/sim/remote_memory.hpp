// What the fabric does to memory that others may use at the same time.
//
// Words are loaded and stored as relaxed atomics: two ranks that meet on a word see one value or the other, as on
// hardware, and the language allows it.
#pragma once

#include "device/device.hpp"

#include <cstddef>
#include <cstdint>

namespace polder::device::sim {

void copy_to_remote(std::byte* remote, const std::byte* local, std::size_t bytes);
void copy_from_remote(std::byte* local, const std::byte* remote, std::size_t bytes);

// Returns the old value. REQUIRES: `remote` is aligned to request.width, which is 4 or 8.
std::uint64_t apply_atomic(std::byte* remote, const AtomicRequest& request);

// Stores the flag behind all that was stored before, and rings its bell.
void raise_flag(std::byte* control, const Flag& flag);

}  // namespace polder::device::sim
