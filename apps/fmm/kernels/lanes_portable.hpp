// Vectors of 16 bytes, which every 64-bit processor has.
#pragma once

#include <cstddef>

namespace fmm {

struct PortableLanes {
  static constexpr const char* kName = "portable";
  static constexpr std::size_t kBytes = 16;
  static constexpr unsigned kTargets = 2;

  template <class Doubles>
  static Doubles inverse_root(Doubles x) {
    for (std::size_t i = 0; i < kBytes / 8; ++i) x[i] = 1 / __builtin_sqrt(x[i]);
    return x;
  }
};

}  // namespace fmm
