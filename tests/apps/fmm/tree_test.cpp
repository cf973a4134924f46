// Keys, sorting, the octree, and who meets whom in it.
#include "tree.hpp"

#include "interaction.hpp"
#include "morton.hpp"
#include "near_field.hpp"
#include "ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fmm {
namespace {

std::vector<KeyedIndex> keys_of(const std::vector<Particle>& particles, double side) {
  const Domain domain{{-side / 2, -side / 2, -side / 2}, side};
  std::vector<KeyedIndex> keys;
  for (std::size_t i = 0; i < particles.size(); ++i)
    keys.push_back({morton_key(domain.to_unit(particles[i].position)), i});
  radix_sort(keys);
  return keys;
}

std::vector<KeyedIndex> plummer_keys(std::uint64_t count) {
  return keys_of(generate({.shape = Shape::plummer, .total = count}, {0, count}), 100);
}

TEST(RadixSort, SortsAndKeepsTheOrderOfEqualKeys) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0, 1, 100, 255, 256, 5000}) {
    for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff}, std::uint64_t{0xff00000000000000}}) {
      std::vector<KeyedIndex> items;
      for (std::size_t i = 0; i < count; ++i) items.push_back({random() & mask, i});
      std::vector<KeyedIndex> sorted = items;
      std::stable_sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return a.key < b.key; });
      radix_sort(items);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(items[i].key, sorted[i].key);
        ASSERT_EQ(items[i].index, sorted[i].index);
      }
    }
  }
}

TEST(Morton, KeysFollowTheOctants) {
  EXPECT_EQ(morton_key({0, 0, 0}), 0u);
  EXPECT_EQ(morton_key({0.5, 0, 0}), std::uint64_t{4} << 60);
  EXPECT_EQ(morton_key({0, 0.5, 0}), std::uint64_t{2} << 60);
  EXPECT_EQ(morton_key({0, 0, 0.5}), std::uint64_t{1} << 60);
  EXPECT_EQ(morton_key({1 - 1e-16, 1 - 1e-16, 1 - 1e-16}), (std::uint64_t{1} << 63) - 1);
}

TEST(TreeTest, CellsHoldTheirBodiesAndTheirChildren) {
  const std::vector<KeyedIndex> keys = plummer_keys(5000);
  constexpr std::size_t kLeaf = 20;
  const Tree tree = build_tree(keys, kLeaf);
  ASSERT_FALSE(tree.cells.empty());
  EXPECT_EQ(tree.cells[0].count, keys.size());
  std::size_t in_leaves = 0;
  for (const Cell& cell : tree.cells) {
    EXPECT_GT(cell.count, 0u);
    EXPECT_EQ(cell.leaf(), cell.count <= kLeaf || cell.level == kDeepest);
    const unsigned shift = 3 * (kDeepest - cell.level);
    const std::uint64_t prefix = spread_bits(cell.x) << 2 | spread_bits(cell.y) << 1 | spread_bits(cell.z);
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i)
      ASSERT_EQ(shift == 63 ? 0 : keys[i].key >> shift, prefix);
    if (cell.leaf()) in_leaves += cell.count;
    std::uint32_t next = cell.begin;
    for (std::uint32_t child = cell.first_child; child < cell.first_child + cell.children; ++child) {
      EXPECT_EQ(tree.cells[child].begin, next);
      EXPECT_EQ(tree.cells[child].level, cell.level + 1);
      EXPECT_EQ(tree.cells[child].x / 2, cell.x);
      next += tree.cells[child].count;
    }
    EXPECT_TRUE(cell.leaf() || next == cell.begin + cell.count);
  }
  EXPECT_EQ(in_leaves, keys.size());
  for (std::size_t level = 0; level < tree.depth(); ++level)
    for (const Cell& cell : tree.level(level)) EXPECT_EQ(cell.level, level);
}

TEST(TreeTest, WithoutBodiesAndWithOne) {
  EXPECT_TRUE(build_tree({}, 10).cells.empty());
  EXPECT_EQ(build_tree({}, 10).depth(), 0u);
  const Tree one = build_tree(std::vector<KeyedIndex>{{77, 0}}, 10);
  EXPECT_EQ(one.cells.size(), 1u);
  EXPECT_TRUE(one.cells[0].leaf());
}

TEST(TreeTest, EqualKeysEndAtTheDeepestLevel) {
  const Tree tree = build_tree(std::vector<KeyedIndex>(30, KeyedIndex{12345, 0}), 10);
  EXPECT_EQ(tree.depth(), kDeepest + 1);
  EXPECT_EQ(tree.cells.back().count, 30u);
  EXPECT_TRUE(tree.cells.back().leaf());
}

TEST(Interaction, SeparationIsSymmetricAndTheUsualOneForEqualCells) {
  const Cell cell{.x = 8, .y = 8, .z = 8, .count = 1, .level = 5};
  for (std::uint32_t x = 4; x <= 12; ++x) {
    for (std::uint32_t y = 4; y <= 12; ++y) {
      const Cell other{.x = x, .y = y, .z = 8, .count = 1, .level = 5};
      const int dx = std::abs(int(x) - 8), dy = std::abs(int(y) - 8);
      EXPECT_EQ(well_separated(cell, other), std::max(dx, dy) >= 2) << dx << " " << dy;
      EXPECT_EQ(well_separated(other, cell), well_separated(cell, other));
      const Cell smaller{.x = 2 * x, .y = 2 * y, .z = 16, .count = 1, .level = 6};
      EXPECT_EQ(well_separated(cell, smaller), well_separated(smaller, cell));
    }
  }
}

// Every two bodies meet exactly once, by expansions or directly.
TEST(Interaction, EveryPairOfBodiesMeetsOnce) {
  const std::vector<KeyedIndex> one = plummer_keys(700);
  const std::vector<KeyedIndex> two = keys_of(generate({.total = 400, .seed = 3}, {0, 400}), 3);
  const Tree targets = build_tree(one, 8), sources = build_tree(two, 12);
  std::vector<int> met(one.size() * two.size());
  std::vector<Pair> open{{0, 0}};
  std::size_t far = 0;
  while (!open.empty()) {
    const Pair pair = open.back();
    open.pop_back();
    const Cell &target = targets.cells[pair.target], &source = sources.cells[pair.source];
    const Meeting meeting = meeting_of(target, source, 20);
    if (meeting == Meeting::far || meeting == Meeting::near) {
      far += meeting == Meeting::far;
      for (std::uint32_t i = target.begin; i < target.begin + target.count; ++i)
        for (std::uint32_t j = source.begin; j < source.begin + source.count; ++j) ++met[i * two.size() + j];
      continue;
    }
    const bool t = meeting != Meeting::open_source, s = meeting != Meeting::open_target;
    ASSERT_TRUE(!t || !target.leaf());
    ASSERT_TRUE(!s || !source.leaf());
    for (std::uint32_t i = 0; i < (t ? target.children : 1); ++i)
      for (std::uint32_t j = 0; j < (s ? source.children : 1); ++j)
        open.push_back({t ? target.first_child + i : pair.target, s ? source.first_child + j : pair.source});
  }
  EXPECT_GT(far, 100u);
  for (const int times : met) ASSERT_EQ(times, 1);
}

TEST(NearFieldTest, SumsEachPairOnceInSlices) {
  const OwnBodies bodies = bodies_in(60, {{0.5, 0.5, 0.5}, 1}, 1);
  const std::vector<Cell> cells{{.begin = 0, .count = 25}, {.begin = 25, .count = 35}};
  NearField near;
  near.add(1, {0, 25});
  near.add(0, {40, 60});
  near.add(0, {0, 25});
  near.add(1, {25, 60});
  near.add(0, {25, 40});
  near.prepare(cells.size());
  OwnField field(bodies.count);
  int slices = 1;
  while (near.advance(*find_kernels(""), cells, bodies.view(), bodies.view(), field.view(), 1)) ++slices;
  EXPECT_EQ(slices, 2);
  EXPECT_EQ(near.body_pairs(), 3600u);
  EXPECT_LT(relative_error(field.potential, direct_field(bodies, bodies).potential), 1e-12);
}

}  // namespace
}  // namespace fmm
