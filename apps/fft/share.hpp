// What a rank has of the field, and how it lies in its memory.
//
// Ranks make a grid of `rows` x `columns`; rank r lies in row r / columns and column r % columns. (Slabs: one column.)
// With extents X, Y, Z of which Z runs fastest, a rank has
//
//   at first     [x][y][z]   its part of X (by row), its part of Y (by column), all of Z
//   in between   [x][y][z]   its part of X, all of Y, its part of Z (by column); slabs: that is as at first
//   at the end   [y][x][z]   its part of Y (by row), all of X, its part of Z; with one row: where it was, as in between
#pragma once

#include "split.hpp"

#include <array>
#include <complex>
#include <cstdint>

namespace fft {

using Complex = std::complex<double>;
using Extents = std::array<std::uint64_t, 3>;

struct Grid {
  unsigned rows = 1, columns = 1;
};

// Elements from one line along z to the next, and from one plane to the next: whole lines of the cache, and an odd number of
// them. With a power of two all elements of a line across would fall into few sets of the cache, and be thrown out before their
// neighbours are used.
constexpr std::uint64_t pitch_of(std::uint64_t length) {
  constexpr std::uint64_t kElements = 64 / sizeof(Complex);
  return length == 0 ? 0 : ((length + kElements - 1) / kElements | 1) * kElements;
}

constexpr std::uint64_t plane_of(std::uint64_t rows, std::uint64_t length) {
  return pitch_of(rows * pitch_of(length));
}

struct Share {
  Share() = default;
  Share(const Extents& n, const Grid& grid, unsigned rank)
      : extents(n),
        row(rank / grid.columns),
        column(rank % grid.columns),
        x{n[0], grid.rows},
        y{n[1], grid.columns},
        z{n[2], grid.columns},
        y_of_result{n[1], grid.rows} {}

  Extents extents{};
  unsigned row = 0, column = 0;
  Split x, y, z;      // x by row; y and z by column
  Split y_of_result;  // by row

  bool in_slabs() const { return z.parts == 1; }
  bool ends_in_place() const { return x.parts == 1; }
  std::uint64_t own_x() const { return x.count(row); }
  std::uint64_t own_y() const { return y.count(column); }
  std::uint64_t own_z() const { return z.count(column); }
  std::uint64_t own_result_y() const { return y_of_result.count(row); }

  // In memory: from plane to plane, and all of them.
  std::uint64_t plane_at_first() const { return plane_of(own_y(), extents[2]); }
  std::uint64_t plane_between() const { return plane_of(extents[1], own_z()); }
  std::uint64_t plane_of_result() const { return plane_of(extents[0], own_z()); }
  std::uint64_t room_at_first() const { return own_x() * plane_at_first(); }
  std::uint64_t room_between() const { return own_x() * plane_between(); }
  std::uint64_t room_of_result() const { return ends_in_place() ? room_between() : own_result_y() * plane_of_result(); }

  // Where a line along z begins, by this rank's own numbers of x and y; at the end x is one of all.
  std::uint64_t line_at_first(std::uint64_t i, std::uint64_t j) const {
    return i * plane_at_first() + j * pitch_of(extents[2]);
  }
  std::uint64_t line_of_result(std::uint64_t j, std::uint64_t i) const {
    if (ends_in_place()) return i * plane_between() + j * pitch_of(own_z());
    return j * plane_of_result() + i * pitch_of(own_z());
  }
};

}  // namespace fft
