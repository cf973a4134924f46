// Lists of ranks as PMIx writes them.

#include "bootstrap/pmix/node_ranks.hpp"

#include <gtest/gtest.h>

namespace polder::bootstrap::pmix {
namespace {

using Ranks = std::vector<Rank>;

TEST(NodeRanksTest, ListsAndRanges) {
  EXPECT_EQ(parse_ranks("0"), Ranks({0}));
  EXPECT_EQ(parse_ranks("0,1,12"), Ranks({0, 1, 12}));
  EXPECT_EQ(parse_ranks("2-4,7"), Ranks({2, 3, 4, 7}));
  EXPECT_EQ(parse_ranks("3,1"), Ranks({1, 3}));
}

TEST(NodeRanksTest, NonsenseIsEmpty) {
  for (const char* text : {"", ",", "1,", "a", "1 ,2", "1-", "4-2", "-1", "99999999999", "0-65536"})
    EXPECT_EQ(parse_ranks(text), Ranks()) << text;
}

}  // namespace
}  // namespace polder::bootstrap::pmix
