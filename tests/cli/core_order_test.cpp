// The order in which ranks take cores, on a machine of two sockets with two cores of two threads each.
#include "launch/core_order.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace polder::cli {
namespace {

using testing::ElementsAre;

// Two sockets, two cores, two threads.
std::vector<CoreUnit> machine() {
  std::vector<CoreUnit> units;
  for (unsigned i = 0; i < 8; ++i) units.push_back({i % 2, i / 4, i / 4, i / 4, i / 2, i});
  return units;
}

std::vector<unsigned> taken(const std::string& word, Rank ranks = 4) {
  const auto order = read_rank_order(word, ranks);
  EXPECT_TRUE(order.ok()) << order.status().to_string();
  if (!order.ok()) return {};
  const auto numbers = order_cores(machine(), *order);
  EXPECT_TRUE(numbers.ok()) << numbers.status().to_string();
  return numbers.ok() ? *numbers : std::vector<unsigned>{};
}

// A file that goes with its test.
class MatrixFile {
 public:
  explicit MatrixFile(const std::string& text) { std::ofstream(path_) << text; }
  ~MatrixFile() { std::remove(path_.c_str()); }
  std::string word() const { return "matrix:" + path_; }

 private:
  std::string path_ = testing::TempDir() + "core_order_" + std::to_string(getpid());
};

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

TEST(CoreOrder, RanksThatSendMuchToEachOtherShareASocket) {
  const char* const texts[] = {"0,0,0,9\n0,0,7,0\n0,1,0,0\n0,0,1,0\n",
                               R"({"ranks":4,"traffic":[[0,3,0,900,5],[1,2,700,1,5],[3,2,64,0,5]]})"};
  for (const char* text : texts) {
    const MatrixFile file(text);
    const auto cores = taken(file.word());
    ASSERT_EQ(cores.size(), 4u) << text;
    EXPECT_EQ(cores[0] / 4, cores[3] / 4) << text;
    EXPECT_EQ(cores[1] / 4, cores[2] / 4) << text;
    EXPECT_NE(cores[0] / 4, cores[1] / 4) << text;
  }
}

TEST(CoreOrder, WhatDoesNotFitIsNamed) {
  for (const char* word : {"", "socks", "grid", "grid:", "grid:4x", "grid:0x2", "grid:axb", "grid:99999x99999",
                           "matrix", "matrix:", "matrix:/nowhere"})
    EXPECT_EQ(read_rank_order(word, 4).status().code(), Code::invalid_argument) << word;
  const auto why = [](const std::string& word, Rank ranks) {
    return read_rank_order(word, ranks).status().to_string();
  };
  EXPECT_NE(why("grid:2x2", 3).find("4 places for 3 ranks"), std::string::npos);
  EXPECT_NE(why("matrix:/nowhere", 3).find("cannot read /nowhere: No such file"), std::string::npos);
  EXPECT_NE(why("matrix:/", 3).find("cannot read /: Is a directory"), std::string::npos);
  EXPECT_NE(why("matrix:", 3).find("no file is named"), std::string::npos);
  const MatrixFile file("0,1\n1,0\n");
  EXPECT_NE(why(file.word(), 3).find("2 places for 3 ranks"), std::string::npos);
  const auto line = read_rank_order("grid:9", 9);
  ASSERT_TRUE(line.ok());
  EXPECT_NE(order_cores(machine(), *line).status().to_string().find("9 ranks on 8 hardware"), std::string::npos);
}

}  // namespace
}  // namespace polder::cli
