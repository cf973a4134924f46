// Copying where most copies are small.
#pragma once

#include "util/copy_block.hpp"
#include "util/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::util {

// One move of the processor each, as memcpy of a word is; said in the words that the thread sanitizer understands.
template <class Word>
void copy_observed_word(void* to, const void* from) {
  const auto aligned = [](const void* place) { return reinterpret_cast<std::uintptr_t>(place) % sizeof(Word) == 0; };
  Word word;
  if (aligned(from))
    word = __atomic_load_n(static_cast<const Word*>(from), __ATOMIC_RELAXED);
  else
    std::memcpy(&word, from, sizeof word);
  if (aligned(to))
    __atomic_store_n(static_cast<Word*>(to), word, __ATOMIC_RELAXED);
  else
    std::memcpy(to, &word, sizeof word);
}

// From here on the way of copying is chosen by where both lie, and then by the processor.
inline constexpr std::size_t kShortCopy = 2 << 10, kLargeCopy = 512 << 10;

// Like memmove, for bytes >= kLargeCopy.
void copy_large(void* to, const void* from, std::size_t bytes);

// Like memmove; an aligned copy of 4 or 8 bytes is one store, so a reader never sees half of it.
POLDER_ALWAYS_INLINE void copy(void* to, const void* from, std::size_t bytes) {
  if constexpr (kThreadSanitizer) {
    if (bytes == 8) return copy_observed_word<std::uint64_t>(to, from);
    if (bytes == 4) return copy_observed_word<std::uint32_t>(to, from);
  }
  if (bytes == 8) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    std::memcpy(to, &word, 8);
  } else if (bytes == 4) {
    std::uint32_t word;
    std::memcpy(&word, from, 4);
    std::memcpy(to, &word, 4);
  } else if (bytes >= kLargeCopy) {
    copy_large(to, from, bytes);
  } else if (bytes >= kShortCopy && is_just_behind(to, from)) [[unlikely]] {
    copy_just_behind(to, from, bytes);
  } else if (bytes != 0) {
    std::memmove(to, from, bytes);
  }
}

}  // namespace polder::util
