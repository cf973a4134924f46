// AVX2 with fused multiply-add: vectors of 32 bytes.
#pragma once

#include <cstddef>

#include <immintrin.h>

namespace fmm {

struct Avx2Lanes {
  static constexpr const char* kName = "avx2";
  static constexpr std::size_t kBytes = 32;
  static constexpr unsigned kTargets = 1;

  // From 12 bits by five terms of the series of (1 - e)^(-1/2) to all. Infinity or NaN for 0.
  // Neither a number where x is too small for a float.
  template <class Doubles>
  static Doubles inverse_root(Doubles x) {
    const Doubles y = (Doubles)_mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps((__m256d)x)));
    const Doubles e = 1.0 - x * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * (0.3125 + 0.2734375 * e)));
  }
};

}  // namespace fmm
