#include "util/deadline.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace polder::util {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, TestHasPassedAtOnce) {
  const Deadline deadline(Timeout::test());
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.left(1000), 0);
  EXPECT_TRUE(deadline.remaining().is_test());
}

TEST(Deadline, BlockNeverPasses) {
  const Deadline deadline(Timeout::block());
  EXPECT_TRUE(deadline.never());
  EXPECT_FALSE(deadline.passed());
  EXPECT_EQ(deadline.left(1000), 1000);
  EXPECT_TRUE(deadline.remaining().is_block());
}

TEST(Deadline, PassesWithTheClock) {
  const Deadline deadline(20ms);
  EXPECT_FALSE(deadline.never());
  EXPECT_GT(deadline.left(INT64_MAX), 0);
  std::this_thread::sleep_for(25ms);
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.left(INT64_MAX), 0);
  EXPECT_TRUE(deadline.remaining().is_test());
}

TEST(Deadline, LeftIsCapped) {
  const Deadline deadline(1h);
  EXPECT_EQ(deadline.left(50), 50);
  const std::int64_t left = deadline.left(INT64_MAX);
  EXPECT_LE(left, 3'600'000'000'000);
  EXPECT_GT(left, 3'500'000'000'000);
}

TEST(Deadline, RemainingShrinks) {
  const Deadline deadline(1h);
  const Timeout before = deadline.remaining();
  std::this_thread::sleep_for(2ms);
  EXPECT_LE(deadline.remaining().nanoseconds(), before.nanoseconds() - 2'000'000);
}

TEST(Deadline, FarFutureDoesNotWrap) {
  const Deadline deadline(std::chrono::seconds(8'999'999'999));
  EXPECT_FALSE(deadline.passed());
  EXPECT_GT(deadline.left(INT64_MAX), 0);
}

TEST(Clock, NeverGoesBack) {
  std::int64_t before = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = now_ns();
    ASSERT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace polder::util
