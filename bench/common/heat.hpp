// The work of the stencil measurements: a step of the heat equation on a square of doubles a rank, the same loop for all.
#pragma once

#include <cstddef>

namespace bench {

inline constexpr std::size_t kHeatSide = 512;

// `to` from `from`: `rows` by `columns` elements inside arrays whose rows are `stride` apart.
inline void heat_step(const double* from, double* to, std::size_t rows, std::size_t columns, std::size_t stride) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const double* at = from + i * stride + j;
      to[i * stride + j] = 0.25 * (at[-std::ptrdiff_t(stride)] + at[stride] + at[-1] + at[1]);
    }
}

struct HeatGrid {
  std::size_t rows = 1, columns = 1;
};

// Ranks as a grid, as square as may be, and not higher than wide.
inline HeatGrid heat_grid(std::size_t ranks) {
  std::size_t rows = 1;
  for (std::size_t r = 1; r * r <= ranks; ++r)
    if (ranks % r == 0) rows = r;
  return {rows, ranks / rows};
}

// The next number of a series, for random places (Knuth's MMIX).
inline unsigned long long next_random(unsigned long long random) {
  return random * 6364136223846793005u + 1442695040888963407u;
}

}  // namespace bench
