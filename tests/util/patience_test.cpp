// How long a stranger is remembered, by a clock that the test sets.
#include "util/patience.hpp"
#include "util/set_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace polder::util {
namespace {

constexpr std::int64_t kMs = 1'000'000;

class StrangerPatience : public testing::Test {
 protected:
  SetTime time_;
  Patience patience_{{.settling_ns = 0, .clock = Clock(time_)}};

  // In a yield of more than a millisecond.
  void meet_at(std::int64_t now) { meet(time_, patience_, now); }
  static void meet(SetTime& time, Patience& patience, std::int64_t now) {
    time.now = now;
    patience.met_stranger(now - kMs - 1, now);
  }
  // When it yields again, to a microsecond.
  std::int64_t end() { return end_of(time_, patience_); }
  static std::int64_t end_of(SetTime& time, Patience& patience) {
    constexpr std::int64_t kStep = 1'000;
    time.now += kStep - time.now % kStep;
    while (!patience.may_yield()) time.now += kStep;
    return time.now;
  }
};

TEST_F(StrangerPatience, ForbidsSpinningAndYieldingForAWhile) {
  time_.now = 77'300'000;
  EXPECT_TRUE(patience_.may_spin());
  EXPECT_TRUE(patience_.may_yield());
  meet_at(77'300'000);
  EXPECT_FALSE(patience_.may_spin());
  EXPECT_FALSE(patience_.may_yield());
  EXPECT_EQ(end(), 78 * kMs);
  EXPECT_TRUE(patience_.may_spin());
}

TEST_F(StrangerPatience, StaysAwayLongerFromAStrangerItMeetsAgainSoon) {
  meet_at(1'001 * kMs);
  EXPECT_EQ(end(), 1'002 * kMs);
  meet_at(1'007 * kMs);
  EXPECT_EQ(end(), 1'008 * kMs);  // of periods of 4 ms
  meet_at(1'018 * kMs);
  EXPECT_EQ(end(), 1'024 * kMs);  // of 8
  for (int i = 0; i < 20; ++i) {
    const std::int64_t now = time_.now + 6 * kMs;
    meet_at(now);
    EXPECT_FALSE(patience_.may_yield());
    EXPECT_LE(end() - now, 512 * kMs);
  }
  EXPECT_EQ(time_.now % (512 * kMs), 0);
}

// Among many strangers a yield lasts longer than what is soon otherwise, and the first one behind the end does not count.
TEST_F(StrangerPatience, StaysAwayLongerAlsoFromManyStrangers) {
  constexpr std::int64_t kYield = 30 * kMs;
  std::int64_t longest = 0;
  meet_at(1'001 * kMs);
  for (int i = 0; i < 8; ++i) {
    const std::int64_t back = end();
    for (int yields = 1; yields <= 2; ++yields) {
      time_.now = back + yields * kYield;
      patience_.met_stranger(time_.now - kYield, time_.now);
    }
    const std::int64_t met = time_.now;
    longest = std::max(longest, end() - met);
  }
  EXPECT_GT(longest, 100 * kMs);
}

TEST_F(StrangerPatience, ForgetsAStrangerItHasNotMetForLong) {
  meet_at(1'001 * kMs);
  end();
  meet_at(1'007 * kMs);
  EXPECT_EQ(end(), 1'008 * kMs);
  meet_at(2'001 * kMs);
  EXPECT_EQ(end(), 2'002 * kMs);
}

TEST_F(StrangerPatience, DoesNotCountAStrangerTwiceThatTwoThreadsMeet) {
  meet_at(1'000 * kMs);
  meet_at(1'000 * kMs + 2);
  EXPECT_EQ(end(), 1'002 * kMs);
}

TEST_F(StrangerPatience, DoesNotCountASlowYieldThatBeganAmongThoseThatStillSlept) {
  meet_at(1'001 * kMs);
  EXPECT_EQ(end(), 1'002 * kMs);
  meet_at(1'005 * kMs);
  EXPECT_TRUE(patience_.may_yield());
  meet_at(1'007 * kMs);
  EXPECT_FALSE(patience_.may_yield());
}

// As all do, whose ranks begin.
TEST_F(StrangerPatience, IsMetForAMomentOnlyByThoseWhoHaveJustBegun) {
  Patience fresh{{.settling_ns = 300 * kMs, .clock = Clock(time_)}};
  for (std::int64_t now = 1; now < 290 * kMs; now = time_.now + 6 * kMs) {
    meet(time_, fresh, now);
    EXPECT_LE(end_of(time_, fresh) - now, 2 * kMs);
  }
  for (int i = 0; i < 6; ++i) meet(time_, fresh, end_of(time_, fresh) + 6 * kMs);
  EXPECT_EQ(end_of(time_, fresh) % (64 * kMs), 0);
}

// One has met a stranger three times, the other once: both yield again at the same time.
TEST_F(StrangerPatience, RanksLeaveOffTogether) {
  for (const std::int64_t now : {17 * kMs, 23 * kMs}) {
    meet_at(now);
    end();
  }
  EXPECT_EQ(time_.now, 24 * kMs);
  meet_at(29 * kMs);
  EXPECT_EQ(end(), 32 * kMs);
  SetTime other_time;
  Patience other{{.settling_ns = 0, .clock = Clock(other_time)}};
  meet(other_time, other, 31 * kMs);
  EXPECT_EQ(end_of(other_time, other), 32 * kMs);
}

}  // namespace
}  // namespace polder::util
