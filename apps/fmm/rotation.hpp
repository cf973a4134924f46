// How solid harmonics turn with space.
#pragma once

#include <cstddef>
#include <vector>

namespace fmm {

// The rotation about the y axis that takes (sin b, 0, cos b) to the z axis. It mixes cos terms among themselves and sin
// terms among themselves: for each degree n an (n+1) x (n+1) block and an n x n block, row by row.
struct PolarRotation {
  // Ivanic & Ruedenberg, J. Phys. Chem. 100 (1996) 6342 with the erratum of 1998: stable recursion over degrees,
  // O(order^3).
  PolarRotation(unsigned order, double cos_b, double sin_b);

  // C_n(turned r)_i = sum_k block[i][k] C_n(r)_k
  const double* cos_block(unsigned n) const { return values.data() + cos_offset(n); }
  const double* sin_block(unsigned n) const { return values.data() + cos_offset(n) + std::size_t{n + 1} * (n + 1); }

  // Places of all blocks up to degree n - 1.
  static constexpr std::size_t cos_offset(unsigned n) {
    return std::size_t(n) * (n + 1) * (2 * n + 1) / 6 + squares(n);
  }

  std::vector<double> values;

 private:
  // 0^2 + ... + (n-1)^2
  static constexpr std::size_t squares(unsigned n) { return n == 0 ? 0 : std::size_t(n - 1) * n * (2 * n - 1) / 6; }
};

}  // namespace fmm
