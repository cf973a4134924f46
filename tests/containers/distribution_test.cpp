// Every index has one owner and one place, for each kind of distribution, small sizes exhaustively.
#include <polder/containers/make_distribution.hpp>

#include <gtest/gtest.h>

#include <set>

namespace polder::containers {
namespace {

static_assert(Distribution<BlockCyclic<3>> && Distribution<Tiled<2>> && Distribution<Shifted<2>>);
static_assert(Distribution<Sequential<3>> && Distribution<Irregular>);
static_assert(blocked<2>({10, 10}, 4).unit_of({9, 0}) == 2, "known when compiling");

static_assert(99u / Divisor(7) == 14 && 99u % Divisor(7) == 1, "known when compiling");

// unit_of and local_index against blocks: both say the same of each index, no two indexes share a place, and blocks
// cover the index space once.
template <Distribution D>
void expect_one_owner_and_place(const D& d) {
  std::set<std::pair<Rank, std::size_t>> places;
  std::size_t in_blocks = 0;
  for (Rank unit = 0; unit < d.units(); ++unit) {
    ASSERT_LE(volume(d.extents(unit)), d.capacity(unit));
    std::size_t of_unit = 0;
    for (const auto block : d.blocks(unit)) {
      for (std::size_t at = 0; at < block.box.size(); ++at) {
        auto index = index_at(at, block.box.extents);
        for (std::size_t k = 0; k < D::kDimensions; ++k) index[k] += block.box.first[k];
        ASSERT_EQ(d.unit_of(index), unit) << to_string(index);
        ASSERT_EQ(d.local_index(index), block.place(index)) << to_string(index);
        ASSERT_LT(block.place(index), d.capacity(unit));
        ASSERT_TRUE(places.insert({unit, block.place(index)}).second) << to_string(index);
        ++of_unit;
      }
    }
    in_blocks += of_unit;
    ASSERT_TRUE(!d.properties().dense || of_unit == d.capacity(unit));
    ASSERT_TRUE(!d.properties().minimal || d.blocks(unit).size() <= 1);
  }
  ASSERT_EQ(in_blocks, volume(d.extents()));
  ASSERT_TRUE(d.properties().include(D::kProperties));
}

// The next block along each dimension is at one and the same distance in units, whichever block one starts from.
template <class D>
void expect_neighbours(const D& d, const Index<D::kDimensions>& block, const Index<D::kDimensions>& grid) {
  static_assert(D::kProperties.neighbour && D::kProperties.rectangular);
  auto coordinates = [&](const auto& index) { return index_at<D::kDimensions>(d.unit_of(index), grid); };
  for (std::size_t at = 0; at < volume(d.extents()); ++at)
    for (std::size_t k = 0; k < D::kDimensions; ++k) {
      auto index = index_at(at, d.extents()), next = index;
      if ((next[k] += block[k]) >= d.extents()[k]) continue;
      auto expected = coordinates(index);
      expected[k] = (expected[k] + 1) % grid[k];
      ASSERT_EQ(coordinates(next), expected) << to_string(index);
    }
}

TEST(Properties, NeighboursAreNeighbours) {
  expect_neighbours(Tiled<2>({12, 20}, {Spread{3}, Spread{2}}, {2, 3}), {3, 2}, {2, 3});
  expect_neighbours(BlockCyclic<2>({12, 20}, {Spread{3}, Spread{2}}, {2, 3}), {3, 2}, {2, 3});
  expect_neighbours(blocked<2>({6, 4}, 4), {3, 2}, {2, 2});
  // Without a grid the units are a ring, and every dimension goes along it.
  const Shifted<2> ring({6, 8}, {2, 2}, 3);
  for (std::size_t i = 0; i + 2 < 6; ++i)
    for (std::size_t j = 0; j < 8; ++j) ASSERT_EQ(ring.unit_of({i + 2, j}), (ring.unit_of({i, j}) + 1) % 3);
  static_assert(!Sequential<2>::kProperties.neighbour && !Irregular::kProperties.rectangular);
}

TEST(Cartesian, LinesOfEachCut) {
  for (std::size_t extent = 0; extent <= 17; ++extent)
    for (std::size_t units = 1; units <= 5; ++units)
      for (const Spread spread : {Spread::block(), Spread::cyclic(), Spread::block_cyclic(3)}) {
        expect_one_owner_and_place(BlockCyclic<1>({extent}, {spread}, {units}));
        expect_one_owner_and_place(Tiled<1>({extent}, {spread}, {units}));
      }
}

TEST(Cartesian, PlanesAndBoxes) {
  for (const Index<2> extents : {Index<2>{7, 5}, {8, 8}, {1, 9}, {0, 4}})
    for (const Index<2> grid : {Index<2>{1, 1}, {2, 2}, {3, 1}, {2, 3}})
      for (const Spread spread : {Spread::block(), Spread::cyclic(), Spread::block_cyclic(2)}) {
        expect_one_owner_and_place(BlockCyclic<2>(extents, {spread, Spread::block_cyclic(2)}, grid));
        expect_one_owner_and_place(Tiled<2>(extents, {spread, Spread::block_cyclic(2)}, grid));
      }
  expect_one_owner_and_place(Tiled<3>({5, 6, 7}, {Spread{2}, Spread{2}, Spread{3}}, {2, 2, 1}));
  expect_one_owner_and_place(BlockCyclic<3>({5, 6, 7}, {Spread{2}, Spread{}, Spread::whole()}, {2, 2, 1}));
}

TEST(Cartesian, ReducesToOneArrayAUnit) {
  const BlockCyclic<2> d({6, 4}, {Spread::cyclic(), Spread::block()}, {2, 2});
  EXPECT_EQ(d.extents(0), (Index<2>{3, 2}));
  EXPECT_EQ(d.local_index({4, 1}), 5u);  // row 2 of the rows 0, 2, 4; column 1
  EXPECT_FALSE(d.properties().minimal);
  EXPECT_TRUE(blocked<2>({6, 4}, 4).properties().minimal);
}

TEST(Dealt, TilesInSequenceAndShifted) {
  for (const Index<2> extents : {Index<2>{7, 5}, {8, 8}, {1, 9}, {0, 4}, {4, 0}})
    for (std::size_t units = 1; units <= 5; ++units) {
      expect_one_owner_and_place(Sequential<2>(extents, {2, 3}, units));
      expect_one_owner_and_place(Shifted<2>(extents, {2, 3}, units));
    }
  expect_one_owner_and_place(Shifted<3>({5, 6, 7}, {2, 2, 2}, 3));
}

TEST(Dealt, ShiftedLinesMeetAllUnits) {
  const Shifted<2> d({8, 8}, {2, 2}, 4);
  for (std::size_t line = 0; line < 8; ++line) {
    std::set<Rank> along, down;
    for (std::size_t at = 0; at < 8; ++at) {
      along.insert(d.unit_of({line, at}));
      down.insert(d.unit_of({at, line}));
    }
    EXPECT_EQ(along.size(), 4u);
    EXPECT_EQ(down.size(), 4u);
  }
}

TEST(Irregular, SizesAndWeights) {
  expect_one_owner_and_place(Irregular(std::vector<std::size_t>{3, 0, 5, 0}));
  const auto d = Irregular::weighted(10, std::vector<double>{1, 3, 0, 1});
  expect_one_owner_and_place(d);
  EXPECT_EQ(d.extents(1)[0], 6u);
  EXPECT_EQ(d.extents(2)[0], 0u);
  for (const double weight : {1e308, 1e-320})  // their sum is no number; nor is what one of them is divided into
    for (const Rank unit : {0u, 1u, 2u})
      EXPECT_EQ(Irregular::weighted(99, std::vector<double>(3, weight)).capacity(unit), 33u) << weight;
  EXPECT_THROW(Irregular::weighted(10, std::vector<double>{1, -3}), Failure);
  EXPECT_THROW(Irregular::weighted(10, std::vector<double>{0, 0}), Failure);
  EXPECT_THROW(Irregular(std::vector<std::size_t>{}), Failure);
}

TEST(Cartesian, RefusesWhatDoesNotFit) {
  try {
    BlockCyclic<2>({8, 9}, {Spread::block(), Spread::whole()}, {2, 3});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), Code::invalid_argument);
    EXPECT_NE(std::string(failure.what()).find("dimension 1 of extent 9 goes to 3 units"), std::string::npos)
        << failure.what();
  }
  EXPECT_THROW(BlockCyclic<1>({8}, {}, {0}), Failure);
  EXPECT_THROW(Sequential<1>({8}, {0}, 2), Failure);
}

// A program that wants "as large as may be" gets one block, and no memory that is too small for it.
TEST(Distributions, SizesThatOverflow) {
  constexpr std::size_t kMost = ~std::size_t{0}, kHalf = std::size_t{1} << 44;
  for (const std::size_t size : {kMost, kMost - 1, kMost - 8, kMost / 2, std::size_t{11}, std::size_t{10}}) {
    if (size != kMost) expect_one_owner_and_place(BlockCyclic<1>({10}, {Spread{size}}, {3}));
    expect_one_owner_and_place(Tiled<2>({10, 4}, {Spread{size}, Spread{size - 1}}, {1, 2}));
  }
  EXPECT_THROW(BlockCyclic<2>({10, 10}, {}, {kMost / 2 + 2, 2}), Failure);
  const Index<2> many{std::size_t{1} << 20, 1}, tile{1, kHalf};
  EXPECT_THROW(Sequential<2>(many, tile, 1), Failure);
  EXPECT_THROW(Shifted<2>(many, tile, 2), Failure);
  EXPECT_THROW(Sequential<2>({10, 10}, {kHalf + 1, kHalf}, 1), Failure);
  EXPECT_EQ(Sequential<1>({10}, {kMost / 2}, 2).capacity(0), kMost / 2);
  EXPECT_EQ(Sequential<1>({10}, {kMost / 2}, 2).capacity(1), 0u);
}

TEST(MakeDistribution, DeducesAndSaysWhy) {
  const auto plain = make_distribution<Properties{.minimal = true}>(Index<2>{100, 400}, 4);
  EXPECT_EQ(plain.distribution.grid(), (Index<2>{1, 4}));
  EXPECT_NE(plain.why.find("grid of (1, 4)"), std::string::npos) << plain.why;
  const auto tiled = make_distribution<Properties{.tiled = true}>(Index<2>{30, 40}, 6);
  static_assert(decltype(tiled.distribution)::kProperties.tiled);
  expect_one_owner_and_place(tiled.distribution);
  const auto diagonal = make_distribution<Properties{.diagonal = true}>(Index<2>{9, 9}, 3);
  static_assert(decltype(diagonal.distribution)::kProperties.diagonal);
  expect_one_owner_and_place(diagonal.distribution);
}

// Around multiples, and where the multiplication would not be exact any more.
TEST(Divisor, IsExactForAllNumbers) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  std::uint64_t random = 1;
  for (int round = 0; round < 20'000; ++round) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t number = (random >> (random % 61)) | 1, by = round < 64 ? std::uint64_t{1} << round : number;
    const Divisor divisor(by);
    const std::uint64_t multiple = random * 31 / by * by;
    for (const std::uint64_t n :
         {multiple, multiple - 1, multiple + 1, kMost / by, kMost / by - 1, kMost, kMost - by}) {
      ASSERT_EQ(n / divisor, n / by) << n << " by " << by;
      ASSERT_EQ(n % divisor, n % by) << n << " by " << by;
    }
  }
}

}  // namespace
}  // namespace polder::containers
