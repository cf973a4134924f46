#include "tree.hpp"

#include "morton.hpp"

#include <algorithm>

namespace fmm {
namespace {

// Which child of a cell of `level` a key belongs to.
unsigned octant_of(std::uint64_t key, std::uint32_t level) {
  return unsigned(key >> (3 * (kDeepest - 1 - level)) & 7);
}

void add_children(std::span<const KeyedIndex> keys, std::size_t parent, Tree& tree) {
  const Cell cell = tree.cells[parent];
  tree.cells[parent].first_child = std::uint32_t(tree.cells.size());
  auto at = keys.begin() + cell.begin;
  const auto end = at + cell.count;
  while (at != end) {
    const unsigned octant = octant_of(at->key, cell.level);
    const auto next = std::partition_point(
        at, end, [&](const KeyedIndex& item) { return octant_of(item.key, cell.level) <= octant; });
    tree.cells.push_back({.x = cell.x << 1 | octant >> 2,
                          .y = cell.y << 1 | (octant >> 1 & 1),
                          .z = cell.z << 1 | (octant & 1),
                          .begin = std::uint32_t(at - keys.begin()),
                          .count = std::uint32_t(next - at),
                          .level = cell.level + 1});
    ++tree.cells[parent].children;
    at = next;
  }
}

}  // namespace

Tree build_tree(std::span<const KeyedIndex> keys, std::size_t leaf_size) {
  Tree tree;
  if (keys.empty()) return tree;
  tree.cells.push_back({.count = std::uint32_t(keys.size())});
  tree.levels = {0, 1};
  for (unsigned level = 0; level < kDeepest; ++level) {
    const std::size_t begin = tree.levels[level], end = tree.levels[level + 1];
    for (std::size_t i = begin; i < end; ++i)
      if (tree.cells[i].count > leaf_size) add_children(keys, i, tree);
    if (tree.cells.size() == end) break;
    tree.levels.push_back(tree.cells.size());
  }
  return tree;
}

}  // namespace fmm
