#include "util/copy_block.hpp"

#include "util/platform.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace polder::util {

#if POLDER_X86

namespace {

constexpr std::size_t kLine = kCacheLine, kWord = sizeof(__m128i), kWords = kLine / kWord;

// A cache line at a time, from an aligned `to` on.
template <class Store>
void copy_lines(std::byte* to, const std::byte* from, std::size_t bytes, Store store) {
  for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine) {
    __m128i words[kWords];
    for (std::size_t i = 0; i < kWords; ++i) words[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
    for (std::size_t i = 0; i < kWords; ++i) store(reinterpret_cast<__m128i*>(to) + i, words[i]);
  }
  std::memcpy(to, from, bytes);
}

template <class Store>
void copy_by_lines(void* to, const void* from, std::size_t bytes, Store store) {
  const std::size_t head = std::min(bytes, (0 - reinterpret_cast<std::uintptr_t>(to)) % kLine);
  std::memcpy(to, from, head);
  copy_lines(static_cast<std::byte*>(to) + head, static_cast<const std::byte*>(from) + head, bytes - head, store);
}

}  // namespace

void copy_block(void* to, const void* from, std::size_t bytes) {
  if (bytes >= 1024 && is_just_behind(to, from)) [[unlikely]]
    copy_by_lines(to, from, bytes, [](__m128i* place, __m128i word) { _mm_store_si128(place, word); });
  else if (bytes != 0)
    std::memcpy(to, from, bytes);
}

void copy_just_behind(void* to, const void* from, std::size_t bytes) {
  const auto up = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (up >= bytes && 0 - up >= bytes)
    copy_block(to, from, bytes);
  else
    std::memmove(to, from, bytes);
}

// The thread sanitizer sees memcpy, but no such stores.
void copy_block_past_cache(void* to, const void* from, std::size_t bytes) {
  if (kThreadSanitizer || bytes < kPage) return copy_block(to, from, bytes);
  copy_by_lines(to, from, bytes, [](__m128i* place, __m128i word) { _mm_stream_si128(place, word); });
  _mm_sfence();  // before what says that it is there
}

#else

void copy_just_behind(void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
}

void copy_block(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

void copy_block_past_cache(void* to, const void* from, std::size_t bytes) {
  copy_block(to, from, bytes);
}

#endif

}  // namespace polder::util
