#include <polder/timeout.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace polder {
namespace {

using namespace std::chrono_literals;

TEST(Timeout, HasTwoNamedEnds) {
  EXPECT_TRUE(Timeout::test().is_test());
  EXPECT_FALSE(Timeout::test().is_block());
  EXPECT_TRUE(Timeout::block().is_block());
  EXPECT_FALSE(Timeout::block().is_test());
}

TEST(Timeout, ConvertsFromAnyDuration) {
  EXPECT_EQ(Timeout(1s).nanoseconds(), 1'000'000'000);
  EXPECT_EQ(Timeout(3us).nanoseconds(), 3'000);
  EXPECT_EQ(Timeout(std::chrono::duration<double>(0.5)).nanoseconds(), 500'000'000);
  EXPECT_EQ(Timeout(1000ms), Timeout(1s));
}

TEST(Timeout, ZeroAndLessOnlyLook) {
  EXPECT_TRUE(Timeout(0s).is_test());
  EXPECT_TRUE(Timeout(-1s).is_test());
  EXPECT_TRUE(Timeout(std::chrono::hours::min()).is_test());
}

TEST(Timeout, TheLargestDurationIsForeverAndNotThePast) {
  EXPECT_TRUE(Timeout(std::chrono::hours::max()).is_block());
  EXPECT_TRUE(Timeout(std::chrono::nanoseconds::max()).is_block());
  EXPECT_TRUE(Timeout(std::chrono::duration<double>(std::numeric_limits<double>::infinity())).is_block());
}

TEST(Timeout, TenYearsAreNotForever) {
  EXPECT_FALSE(Timeout(std::chrono::hours(24 * 3652)).is_block());
}

}  // namespace
}  // namespace polder
