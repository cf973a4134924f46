// Who had a core while a thread yielded, by turns that the test writes down.
#include "util/core_turns.hpp"
#include "util/patience.hpp"
#include "util/set_time.hpp"

#include <gtest/gtest.h>

#include <sched.h>

namespace polder::util {
namespace {

constexpr std::int64_t kMs = 1'000'000, kBegin = 100 * kMs;

// Three others of the job, and the caller, who stays on a core and whose turn began just now.
class CoreTurnsBeside : public testing::Test {
 protected:
  CoreTurnsBeside() {
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core_, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    turns_.begin(kBegin);
  }
  ~CoreTurnsBeside() override { EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0); }

  void begins(int which, std::int64_t at) { begins(which, at, core_); }
  void begins(int which, std::int64_t at, int core) { others_[which].core = core, others_[which].begin_ns = at; }

  cpu_set_t before_;
  const int core_ = sched_getcpu();
  CoreTurn own_, others_[3];
  CoreTurns turns_{own_, {&others_[0], &others_[1], &others_[2]}};
};

TEST_F(CoreTurnsBeside, WithoutAnyASlowYieldIsOneTurn) {
  EXPECT_EQ(turns_.longest(kBegin, kBegin + 3 * kMs), 3 * kMs);
  EXPECT_EQ(CoreTurns().longest(kBegin, kBegin + 3 * kMs), 3 * kMs);
}

TEST_F(CoreTurnsBeside, AreToldFromEachOtherInWhateverOrder) {
  begins(0, kBegin + 20 * kMs / 10);
  begins(1, kBegin + 9 * kMs / 10);
  begins(2, kBegin + 25 * kMs / 10);
  EXPECT_EQ(turns_.longest(kBegin, kBegin + 3 * kMs), 11 * kMs / 10);
}

TEST_F(CoreTurnsBeside, TheLastOneLastsUntilTheCallerIsBack) {
  begins(0, kBegin + kMs / 2);
  EXPECT_EQ(turns_.longest(kBegin, kBegin + 3 * kMs), 25 * kMs / 10);
}

TEST_F(CoreTurnsBeside, OnOtherCoresAndAtOtherTimesDoNotCount) {
  begins(0, kBegin + kMs, core_ + 1);
  begins(1, kBegin - kMs);
  begins(2, kBegin + 4 * kMs);
  EXPECT_EQ(turns_.longest(kBegin, kBegin + 3 * kMs), 3 * kMs);
}

TEST_F(CoreTurnsBeside, TellWhetherOneHadThisCore) {
  begins(0, kBegin + kMs, core_ + 1);
  begins(1, kBegin - kMs);
  EXPECT_FALSE(turns_.any(kBegin, kBegin + 2 * kMs));
  begins(2, kBegin + kMs);
  EXPECT_TRUE(turns_.any(kBegin, kBegin + 2 * kMs));
  EXPECT_TRUE(CoreTurns().any(kBegin, kBegin + 2 * kMs));
}

// Only the first is a reason to go to another core; both are one not to spin.
TEST_F(CoreTurnsBeside, TellASharerOfThisNodeFromAnyOther) {
  for (const bool is_of_this_node : {true, false}) {
    Patience patience({}, turns_);
    begins(0, is_of_this_node ? kBegin + kMs / 2 : kBegin - kMs);
    EXPECT_EQ(patience.met_sharer(kBegin, kBegin + kMs), is_of_this_node);
    EXPECT_FALSE(patience.may_spin());
  }
}

TEST_F(CoreTurnsBeside, TheCallersBeginsWhereItIs) {
  EXPECT_EQ(own_.core, core_);
  EXPECT_EQ(own_.begin_ns, kBegin);
}

TEST_F(CoreTurnsBeside, MakeNoStrangerOfManyWhoTookAMomentEach) {
  SetTime time;
  time.now = kBegin + 3 * kMs;
  Patience patience({.slow_yield_ns = kMs, .clock = Clock(time)}, turns_);
  for (int i = 0; i < 3; ++i) begins(i, kBegin + (i + 1) * 8 * kMs / 10);
  EXPECT_FALSE(patience.met_stranger(kBegin, time.now));
  EXPECT_TRUE(patience.may_yield());
  begins(1, kBegin + 2 * kMs);  // the first one had it for longer
  EXPECT_TRUE(patience.met_stranger(kBegin, time.now));
  EXPECT_FALSE(patience.may_yield());
}

TEST_F(CoreTurnsBeside, AreNotAskedAboutAShortYield) {
  Patience patience({.slow_yield_ns = kMs}, turns_);
  EXPECT_FALSE(patience.met_stranger(kBegin, kBegin + kMs));
  EXPECT_TRUE(patience.may_yield());
}

}  // namespace
}  // namespace polder::util
