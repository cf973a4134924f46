// The order in which ranks take cores, on a machine of two sockets with two cores of two threads each.
#include "launch/core_order.hpp"

#include <gmock/gmock.h>

namespace polder::cli {
namespace {

using testing::ElementsAre;

std::vector<unsigned> taken(const std::string& word, Rank ranks = 4) {
  std::vector<CoreUnit> units;
  for (unsigned i = 0; i < 8; ++i) units.push_back({i % 2, i / 4, i / 4, i / 4, i / 2, i});
  const auto order = read_rank_order(word);
  EXPECT_TRUE(order.ok()) << order.status().to_string();
  const auto numbers = order_cores(units, *order, ranks);
  EXPECT_TRUE(numbers.ok()) << numbers.status().to_string();
  return numbers.ok() ? *numbers : std::vector<unsigned>{};
}

TEST(CoreOrder, NeighboursFirstOrSocketsInTurn) {
  EXPECT_THAT(taken("core"), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(taken("socket"), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
  EXPECT_THAT(taken("node"), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(CoreOrder, AGridIsCutBetweenSocketsWhereItIsNarrow) {
  const auto cores = taken("grid:2x4", 8);
  ASSERT_EQ(cores.size(), 8u);
  for (const unsigned place : {0u, 1u, 4u, 5u}) {
    EXPECT_EQ(cores[place] / 4, cores[0] / 4);      // two columns on one socket
    EXPECT_NE(cores[place + 2] / 4, cores[0] / 4);  // two on the other
  }
}

TEST(CoreOrder, WhatDoesNotFitIsNamed) {
  for (const char* word : {"", "socks", "grid", "grid:", "grid:4x", "grid:0x2", "grid:axb"})
    EXPECT_EQ(read_rank_order(word).status().code(), Code::invalid_argument) << word;
  const std::vector<CoreUnit> one = {{0, 0, 0, 0, 0, 0}};
  EXPECT_NE(order_cores(one, {MapBy::grid, {2, 2}}, 3).status().to_string().find("4 places for 3 ranks"),
            std::string::npos);
  EXPECT_NE(order_cores(one, {MapBy::grid, {2}}, 2).status().to_string().find("2 ranks on 1 hardware"),
            std::string::npos);
}

}  // namespace
}  // namespace polder::cli
