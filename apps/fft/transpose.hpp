// Lines of one direction become lines of another.
#pragma once

#include "lines.hpp"

#include <algorithm>
#include <cstdint>

namespace fft {

// to[column * stride + row] = from[row * pitch + column] for rows x columns elements, in tiles that fit the nearest cache: read and
// written a cache line at a time, where going along one side alone would take a line for each element of the other. Fewer columns
// than rows: with a stride of a power of two the columns of a tile share a set of that cache, which has 8 ways.
inline void transpose(const Complex* from, std::uint64_t pitch, std::uint64_t rows, std::uint64_t columns, Complex* to,
                      std::uint64_t stride) {
  constexpr std::uint64_t kRows = 16, kColumns = 8;
  for (std::uint64_t column = 0; column < columns; column += kColumns)
    for (std::uint64_t row = 0; row < rows; row += kRows) {
      const std::uint64_t last_row = std::min(rows, row + kRows), last_column = std::min(columns, column + kColumns);
      for (std::uint64_t c = column; c < last_column; ++c)
        for (std::uint64_t r = row; r < last_row; ++r) to[c * stride + r] = from[r * pitch + c];
    }
}

}  // namespace fft
