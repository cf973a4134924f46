// The one file that asks who the compiler and the processor are.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#define POLDER_X86 1
// Compiles one function for a newer processor than the baseline; the caller checks cpu_has_avx2() first.
#define POLDER_TARGET_AVX2 __attribute__((target("avx2,fma")))
#else
#define POLDER_X86 0
#define POLDER_TARGET_AVX2
#endif

#define POLDER_ALWAYS_INLINE inline __attribute__((always_inline))
#define POLDER_NOINLINE __attribute__((noinline))

#if defined(__SANITIZE_THREAD__)
#define POLDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define POLDER_TSAN 1
#endif
#endif
#ifndef POLDER_TSAN
#define POLDER_TSAN 0
#endif

namespace polder::util {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kPage = 4096;
inline constexpr bool kThreadSanitizer = POLDER_TSAN != 0;

// Tells the core that this is a spin loop, so that it saves power and leaves it without a pipeline flush.
POLDER_ALWAYS_INLINE void cpu_relax() {
#if POLDER_X86
  _mm_pause();
#else
  __asm__ __volatile__("yield" ::: "memory");
#endif
}

// A clock of unknown but constant rate; the cheapest there is. For spacing out expensive checks, not for measuring.
POLDER_ALWAYS_INLINE std::uint64_t cycles() {
#if POLDER_X86
  return __rdtsc();
#else
  std::uint64_t value;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

inline bool cpu_has_avx2() {
#if POLDER_X86
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace polder::util
