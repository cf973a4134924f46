// AVX-512: vectors of 64 bytes.
#pragma once

#include <cstddef>

#include <immintrin.h>

namespace fmm {

struct Avx512Lanes {
  static constexpr const char* kName = "avx512";
  static constexpr std::size_t kBytes = 64;
  static constexpr unsigned kTargets = 2;

  // From 14 bits by four terms of the series of (1 - e)^(-1/2) to all. Infinity or NaN for 0.
  template <class Doubles>
  static Doubles inverse_root(Doubles x) {
    const __m512d all{};
    const Doubles y = (Doubles)_mm512_mask_rsqrt14_pd(all, 0xff, (__m512d)x);
    const Doubles e = 1.0 - x * y * y;
    return y + y * e * (0.5 + e * (0.375 + 0.3125 * e));
  }
};

}  // namespace fmm
