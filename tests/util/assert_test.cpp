#include "util/assert.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace polder::util {
namespace {

TEST(Assert, NothingHappensWhereItHolds) {
  int looks = 0;
  POLDER_ASSERT(++looks < 2);
  EXPECT_LE(looks, 1);  // 0 in a release, where nothing is computed
}

#if !defined(NDEBUG)
using AssertDeathTest = ::testing::Test;

TEST(AssertDeathTest, SaysExpressionPlaceAndRankAndAborts) {
  ::setenv("POLDER_RANK", "7", 1);
  const int answer = 41;
  EXPECT_EXIT(POLDER_ASSERT(answer == 42), ::testing::KilledBySignal(SIGABRT),
              "assertion failed: answer == 42, at .*assert_test.cpp:[0-9]+ in .*, rank 7, thread '.+'");
  ::unsetenv("POLDER_RANK");
}
#endif

}  // namespace
}  // namespace polder::util
