// Morton keys: cells of a grid in the order of the octree's leaves.
#pragma once

#include <array>
#include <cstdint>

namespace fmm {

inline constexpr unsigned kDeepest = 21;  // levels below the root: 3 * 21 bits fit a key

// Bits of a 21-bit number, two zeros between each.
constexpr std::uint64_t spread_bits(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x001f00000000ffff;
  v = (v | v << 16) & 0x001f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  return (v | v << 2) & 0x1249249249249249;
}

// Of a point in the unit cube.
inline std::uint64_t morton_key(const std::array<double, 3>& unit) {
  constexpr double kCells = 1 << kDeepest;
  const auto place = [](double at) { return spread_bits(std::uint64_t(at * kCells)); };
  return place(unit[0]) << 2 | place(unit[1]) << 1 | place(unit[2]);
}

}  // namespace fmm
