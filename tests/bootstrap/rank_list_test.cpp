// Lists of ranks as PMIx writes them.

#include "bootstrap/pmix/rank_list.hpp"

#include <gtest/gtest.h>

namespace polder::bootstrap::pmix {
namespace {

using Ranks = std::vector<Rank>;

TEST(RankListTest, ListsAndRanges) {
  EXPECT_EQ(parse_ranks("0", 100), Ranks({0}));
  EXPECT_EQ(parse_ranks("0,1,12", 100), Ranks({0, 1, 12}));
  EXPECT_EQ(parse_ranks("2-4,7", 100), Ranks({2, 3, 4, 7}));
  EXPECT_EQ(parse_ranks("3,1", 100), Ranks({1, 3}));
}

TEST(RankListTest, NonsenseIsEmpty) {
  for (const char* text :
       {"", ",", "1,", "a", "1 ,2", "1-", "4-2", "-1", "99999999999", "0-100", "1,2,1", "0-4,3-5", "0-99,0"})
    EXPECT_EQ(parse_ranks(text, 100), Ranks()) << text;
}

}  // namespace
}  // namespace polder::bootstrap::pmix
