// The octree over the bodies of one rank.
//
// The cubes are the same at all ranks; a cube at the border of two ranks exists at both, each with its own bodies.
#pragma once

#include "cell.hpp"
#include "radix_sort.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace fmm {

struct Tree {
  std::vector<Cell> cells;          // level by level, each in Morton order; the root first; empty without bodies
  std::vector<std::size_t> levels;  // cells levels[l] .. levels[l+1]-1 are those of level l

  std::size_t depth() const { return levels.empty() ? 0 : levels.size() - 1; }
  std::span<const Cell> level(std::size_t l) const {
    return std::span(cells).subspan(levels[l], levels[l + 1] - levels[l]);
  }
};

// `keys` is sorted. A cell with more than `leaf_size` bodies is split, down to level kDeepest.
Tree build_tree(std::span<const KeyedIndex> keys, std::size_t leaf_size);

}  // namespace fmm
