// A cell of the octree, as other ranks read it.
#pragma once

#include "kernels/kernels.hpp"

#include <cstdint>

namespace fmm {

// A cube of side 2^-level in the unit cube; x, y, z count such cubes. Its bodies are consecutive, and so are its children.
struct Cell {
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint32_t first_child = 0;
  std::uint32_t begin = 0;
  std::uint32_t count = 0;  // of bodies, never 0
  std::uint32_t level = 0;
  std::uint32_t children = 0;  // 0: a leaf

  bool leaf() const { return children == 0; }
  double side() const { return 1.0 / double(std::uint64_t{1} << level); }
  Range bodies() const { return {begin, begin + count}; }
  // Which of its parent's eight children it is.
  unsigned octant() const { return (x & 1) << 2 | (y & 1) << 1 | (z & 1); }
};
static_assert(sizeof(Cell) == 32);

}  // namespace fmm
