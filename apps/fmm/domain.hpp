// The cube that holds all particles, and the units that are computed in.
//
// Bodies keep their coordinates as they came, in a power of two: differences between them lose nothing, however near two
// bodies of a wide domain are, and their squares fit any type. Only which cell a body belongs to is found in the unit
// cube, whose coordinates are rounded.
#pragma once

#include "cell.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace fmm {

class Domain {
 public:
  Domain() : Domain({}, 1) {}
  // REQUIRES: side > 0.
  Domain(const std::array<double, 3>& origin, double side) : origin_(origin), side_(side) {
    assert(side > 0);
    int exponent = 0;
    const double fraction = std::frexp(side, &exponent);  // in [0.5, 1)
    unit_ = std::ldexp(1.0, fraction > 0.5 ? exponent : exponent - 1);
  }

  // In [0, 1).
  std::array<double, 3> to_unit(const std::array<double, 3>& position) const {
    std::array<double, 3> unit{};
    for (std::size_t i = 0; i < 3; ++i) unit[i] = std::clamp((position[i] - origin_[i]) / side_, 0.0, 1.0 - 1e-16);
    return unit;
  }

  // What bodies are measured in: the power of two from `side` on.
  double unit() const { return unit_; }

  // A coordinate in units. Exact, but below kLeast it counts as 0: so the cube of every distance but 0 is a number.
  double in_units(double coordinate) const {
    const double scaled = coordinate / unit_;
    return std::abs(scaled) < kLeast ? 0.0 : scaled;
  }

  // Of a cell, in units. Its centre is kept in two parts, so that it is exact at the deepest level, too.
  Cube cube_of(const Cell& cell) const {
    const double side = side_ / unit_;
    Cube cube{.centre = {}, .side = side * cell.side()};
    const std::array<std::uint32_t, 3> place{cell.x, cell.y, cell.z};
    for (std::size_t i = 0; i < 3; ++i) {
      const double way = (place[i] + 0.5) * cell.side();
      const double product = way * side, lost = std::fma(way, side, -product);
      // Knuth's TwoSum: what the sum loses.
      const double first = origin_[i] / unit_, sum = first + product, second = sum - first;
      cube.centre[i] = sum;
      cube.rest[i] = (first - (sum - second)) + (product - second) + lost;
    }
    return cube;
  }

 private:
  static constexpr double kLeast = 0x1p-256;

  std::array<double, 3> origin_;
  double side_;
  double unit_;
};

}  // namespace fmm
