// The kernel's wait queue on a 32-bit word. Works across processes that map the same page, at any address.
// Called from a fibre, that of its machine: util/fibres.hpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace polder::util {

// Sleeps while `word` holds `expected`, for at most `nanoseconds`. May return early for no reason: look again.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds);

// Wakes up to `count` sleepers.
void futex_wake(const std::atomic<std::uint32_t>& word, int count);

}  // namespace polder::util
