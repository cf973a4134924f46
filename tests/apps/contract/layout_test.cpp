#include "layout.hpp"

#include "blocking.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace contract {
namespace {

Result<Layout> layout_of(const char* notation, const apps::Shape& first, const apps::Shape& second) {
  return lay_out(*parse_notation(notation), {first, false}, {second, false});
}

TEST(Layout, IndicesBecomeRowsAndColumns) {
  const Result<Layout> layout = layout_of("abcd,cidj->jiab", {2, 3, 4, 5}, {4, 6, 5, 7});
  ASSERT_TRUE(layout.ok()) << layout.status().to_string();
  EXPECT_EQ(layout->result, (apps::Shape{7, 6, 2, 3}));
  EXPECT_EQ(layout->first.rows.extent(), 6u);
  EXPECT_EQ(layout->first.columns.extent(), 20u);
  EXPECT_EQ(layout->second.rows.extent(), 20u);
  EXPECT_EQ(layout->out.columns.extent(), 42u);
  // (c, d) = (1, 2), 7th of 20: strides of the second operand are 210, 35, 7, 1.
  EXPECT_EQ(layout->first.columns.place(7), 7u);
  EXPECT_EQ(layout->second.rows.place(7), 210u + 14u);
  // Columns are (j, i), in the order of the result.
  EXPECT_EQ(layout->out.columns.place(8), (1u * 6 + 2) * 6);
}

TEST(Layout, PlacesAreThoseOfEachValue) {
  const Axes axes({{3, 100}, {4, 7}, {5, 1}});
  EXPECT_EQ(axes.extent(), 60u);
  for (const std::uint64_t first : {0u, 3u, 17u, 59u}) {
    const std::vector<std::uint64_t> places = axes.places(first, 60 - first);
    for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], axes.place(first + i));
  }
  EXPECT_EQ(Axes().places(0, 1), std::vector<std::uint64_t>{0});
}

TEST(Layout, ADiagonalAddsItsStridesUp) {
  const Result<Layout> layout = layout_of("iik,k->i", {4, 4, 3}, {3});
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->first.rows.place(2), 2u * (12 + 3));
}

TEST(Layout, WhatDisagreesIsNamed) {
  const auto message = [](const Result<Layout>& layout) { return std::string(layout.status().message()); };
  EXPECT_NE(message(layout_of("ik,kj->ij", {2, 3}, {4, 5})).find("the index 'k' disagrees: it is 3"),
            std::string::npos);
  EXPECT_NE(message(layout_of("ik,kj->ij", {2, 3, 4}, {3, 5})).find("has 3 dimensions, (2, 3, 4)"), std::string::npos);
  EXPECT_NE(message(layout_of("iik,k->i", {2, 3, 4}, {4})).find("the index 'i' disagrees"), std::string::npos);
  const std::uint64_t many = std::uint64_t{1} << 40;
  EXPECT_NE(message(layout_of("i,j->ij", {many}, {many})).find("more than there can be"), std::string::npos);
  EXPECT_NE(message(layout_of("i,j->", {many}, {many})).find("'ij' have (1099511627776, 1099511627776) values"),
            std::string::npos);
  EXPECT_NE(message(layout_of("i,j->i", {many}, {many})).find("'ij' have"), std::string::npos);
  EXPECT_NE(message(layout_of("ij,j->", {many, many}, {many})).find("the first operand would have"), std::string::npos);
  EXPECT_NE(message(layout_of("ka,kb->ab", {0, many}, {0, many})).find("more than there can be"), std::string::npos);
  EXPECT_NE(message(layout_of("ika,kb->ab", {many, 0, many}, {0, 1})).find("more than there can be"),
            std::string::npos);
}

TEST(Blocking, EveryBlockHasItsPlace) {
  const Grid grid{2, {10, 4}, {7, 3}};
  EXPECT_EQ(grid.blocks(), 2u * 3 * 3);
  std::uint64_t elements = 0;
  for (std::uint64_t block = 0; block < grid.blocks(); ++block) {
    EXPECT_EQ(grid.number(grid.place(block)), block);
    elements += grid.elements(block);
  }
  EXPECT_EQ(elements, 2u * 70);
}

TEST(Blocking, DistributionsGiveEachRankAsMuch) {
  const Grid grid{1, {64, 8}, {64, 8}};
  for (const Distribution how : {Distribution::regular, Distribution::random, Distribution::cyclic}) {
    const Owners owners = distribute(how, grid, 4, 7);
    for (polder::Rank rank = 0; rank < 4; ++rank) EXPECT_EQ(std::ranges::count(owners, rank), 16);
  }
  EXPECT_EQ(distribute(Distribution::random, grid, 4, 7), distribute(Distribution::random, grid, 4, 7));
  EXPECT_NE(distribute(Distribution::random, grid, 4, 7), distribute(Distribution::random, grid, 4, 8));
  // A row of the paper's regular order has one owner, or two.
  EXPECT_EQ(distribute(Distribution::regular, grid, 4, 7)[15], 0u);
  EXPECT_EQ(rank_rows(12), 3u);
}

// Wherever there are enough rows and columns, all ranks have as many blocks, also along the shorter side.
TEST(Blocking, UsualBlocksAreSharedOutEvenly) {
  for (const polder::Rank ranks : {1u, 2u, 3u, 4u, 6u, 7u, 12u}) {
    for (const Pieces& extents : {Pieces{1000, 1000, 1000}, Pieces{10000, 400, 3000}, Pieces{140, 9000, 20}}) {
      for (const Distribution how : {Distribution::regular, Distribution::random, Distribution::cyclic}) {
        const Pieces pieces = default_pieces(extents, ranks, how);
        const Grid grid{1, {extents.rows, pieces.rows}, {extents.columns, pieces.columns}};
        const Owners owners = distribute(how, grid, ranks, 1);
        for (polder::Rank rank = 0; rank < ranks; ++rank)
          EXPECT_EQ(std::ranges::count(owners, rank) * ranks, std::int64_t(grid.blocks())) << ranks << ", " << rank;
        EXPECT_LE(std::max({pieces.rows, pieces.columns, pieces.inner}), 1024u);
      }
    }
  }
  EXPECT_EQ(default_pieces({0, 5, 0}, 4, Distribution::regular).rows, 1u);
}

}  // namespace
}  // namespace contract
