#include "util/waiting.hpp"
#include "util/set_time.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>

namespace polder::util {
namespace {

using namespace std::chrono_literals;

Status no_trouble() {
  return {};
}

// The two temperaments of waiting: ranks fit the cores, or there are more of them.
class Waiting : public testing::TestWithParam<bool> {
 protected:
  Bell bell_;
  Patience patience_{{.oversubscribed = GetParam(), .spin_ns = 20'000, .yield_ns = 50'000, .slice_ns = 5'000'000}};
};

TEST_P(Waiting, ReadyAtOnceAsksNothingElse) {
  int asked = 0;
  const auto trouble = [&] {
    ++asked;
    return Status(Code::closed);
  };
  EXPECT_TRUE(wait_until([] { return true; }, trouble, bell_, patience_, Timeout::test()).ok());
  EXPECT_TRUE(wait_until([] { return true; }, trouble, bell_, patience_, Timeout::block()).ok());
  EXPECT_EQ(asked, 0);
}

TEST(Glance, SeesWhatComesSoonAndNothingElse) {
  int looks = 0;
  EXPECT_TRUE(glance([&] { return ++looks == 3; }));
  EXPECT_EQ(looks, 3);
  EXPECT_FALSE(glance([] { return false; }));
}

TEST_P(Waiting, TestLooksOnce) {
  int looks = 0;
  const auto ready = [&] { return ++looks > 1; };
  EXPECT_TRUE(wait_until(ready, no_trouble, bell_, patience_, Timeout::test()).timed_out());
  EXPECT_EQ(looks, 1);
}

TEST_P(Waiting, TestReportsTrouble) {
  const Status status =
      wait_until([] { return false; }, [] { return Status(Code::peer_failed); }, bell_, patience_, Timeout::test());
  EXPECT_EQ(status.code(), Code::peer_failed);
}

TEST_P(Waiting, TimesOutNotBeforeTheTime) {
  for (const auto span :
       {std::chrono::microseconds(10), std::chrono::microseconds(200), std::chrono::microseconds(12'000)}) {
    const std::int64_t start = now_ns();
    EXPECT_TRUE(wait_until([] { return false; }, no_trouble, bell_, patience_, span).timed_out());
    EXPECT_GE(now_ns() - start, Timeout(span).nanoseconds());
    EXPECT_LT(now_ns() - start, 20'000'000'000);
  }
}

TEST_P(Waiting, IsWokenByTheBell) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    done = true;
    bell_.ring();
  });
  EXPECT_TRUE(wait_until([&] { return done.load(); }, no_trouble, bell_, patience_, 30s).ok());
  other.join();
  EXPECT_EQ(bell_.sleepers, 0u);
}

TEST_P(Waiting, LooksForTroubleNowAndThenAlthoughNobodyRings) {
  std::atomic<bool> dead{false};
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    dead = true;
  });
  const auto trouble = [&] { return dead ? Status(Code::peer_failed, "rank 1 died", Died::peer) : Status(); };
  const Status status = wait_until([] { return false; }, trouble, bell_, patience_, 30s);
  other.join();
  EXPECT_EQ(status.code(), Code::peer_failed);
  EXPECT_EQ(status.message(), "rank 1 died");
}

// A peer may raise the flag and die at once: what arrived counts.
TEST_P(Waiting, ReadyBeatsTrouble) {
  bool raised = false;
  const auto trouble = [&] {
    raised = true;
    return Status(Code::peer_failed);
  };
  EXPECT_TRUE(wait_until([&] { return raised; }, trouble, bell_, patience_, 30s).ok());
}

INSTANTIATE_TEST_SUITE_P(Ranks, Waiting, testing::Bool(),
                         [](const auto& ranks) { return ranks.param ? "OutnumberCores" : "FitTheCores"; });

TEST(Patience, OversubscribedYieldsButNeverSpins) {
  Patience patience({.oversubscribed = true});
  EXPECT_FALSE(patience.may_spin());
  EXPECT_TRUE(patience.may_yield());
}

// Two threads hand a number to each other from one core, although each believes that the other has one of its own.
TEST(Patience, ThreadsThatShareACoreStopSpinningForEachOther) {
  const auto stay_here = [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
  };
  constexpr int kRounds = 100;
  std::atomic<int> turn{0};
  bool learned[2] = {};
  Bell bell;
  const auto play = [&](int me) {
    stay_here();
    Patience patience({.spin_ns = 20'000, .yield_ns = 1'000'000'000, .slow_yield_ns = 1'000'000'000});
    for (int round = me; round < kRounds; round += 2) {
      ASSERT_TRUE(wait_until([&] { return turn == round; }, no_trouble, bell, patience, 60s).ok());
      learned[me] = learned[me] || (!patience.may_spin() && patience.may_yield());
      turn = round + 1;
      bell.ring();
    }
  };
  std::thread one(play, 0), other(play, 1);
  one.join();
  other.join();
  EXPECT_TRUE(learned[0] || learned[1]);
}

TEST(Patience, NoticesAStrangerAlsoWhereTheWaitIsOverBehindIt) {
  SetTime time;
  Patience patience({.oversubscribed = true, .slow_yield_ns = -1, .clock = Clock(time)});  // every yield is slow
  int looks = 0;
  Bell bell;
  ASSERT_TRUE(wait_until([&] { return ++looks > 1; }, no_trouble, bell, patience, 60s).ok());
  EXPECT_FALSE(patience.may_yield());
}

// How often a wait lies down whose condition comes true when it is looked at the second time behind the first sleep: in a spin or a
// yield, or by the look before the next sleep.
int times_lain_down(Slept how, bool oversubscribed) {
  Patience patience(
      {.oversubscribed = oversubscribed, .spin_ns = 1'000, .yield_ns = 10'000'000, .slow_yield_ns = 60'000'000'000});
  int times = 0, looks = 0;
  bool has_slept = false;
  const auto ready = [&] { return has_slept && ++looks > 1; };
  const auto sleep = [&](auto&& over, std::int64_t) {
    ++times;
    if (over()) return Slept::over;
    has_slept = true;
    return how;
  };
  EXPECT_TRUE(wait_asleep(ready, no_trouble, sleep, patience, 60s).ok());
  return times;
}

TEST(Patience, AWaitThatIsWokenTooEarlyLooksOutBeforeItSleepsAgain) {
  for (const bool oversubscribed : {false, true}) {
    EXPECT_EQ(times_lain_down(Slept::rung, oversubscribed), 1);
    EXPECT_EQ(times_lain_down(Slept::on, oversubscribed), 2);
  }
}

TEST(Patience, SpinsAgainAfterSomeWaits) {
  Patience patience;
  patience.met_sharer(0, now_ns());
  EXPECT_FALSE(patience.may_spin());
  EXPECT_TRUE(patience.may_yield());
  for (int waits = 0; !patience.may_spin(); ++waits) {
    ASSERT_LT(waits, 10'000);
    patience.yielded();
  }
}

}  // namespace
}  // namespace polder::util
