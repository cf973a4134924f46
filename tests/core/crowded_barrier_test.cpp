// Barriers of many ranks on one core, where those who have come yield to the others without end, and sleep once that was
// in vain.
#include "core/ranks.hpp"
#include "util/random.hpp"

#include <atomic>

#include <sched.h>

namespace polder::test {
namespace {

constexpr Rank kRanks = 24;  // more than 16 for each core

// All threads of this process, those of ranks too, on one core.
class CrowdedBarrier : public testing::TestWithParam<SimulatedDevice> {
 protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  void TearDown() override { EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0); }

  SimulationOptions options() const { return {.device = GetParam(), .runtime = {.timeout = kPatience}}; }

 private:
  cpu_set_t before_;
};

INSTANTIATE_TEST_SUITE_P(Devices, CrowdedBarrier, testing::Values(SimulatedDevice::direct, SimulatedDevice::shm),
                         [](const auto& each) { return name_of(World{.device = each.param, .ranks = kRanks}); });

// Some rounds all come at once, in others some come so late that the rest sleep; and it is waited for in pieces.
TEST_P(CrowdedBarrier, NobodyPassesBeforeAllHaveCome) {
  constexpr std::uint32_t kRounds = 40;
  std::vector<std::atomic<std::uint32_t>> entered(kRanks);
  run_ranks(kRanks, options(), [&](Runtime& rt) {
    util::Random random(17 + rt.rank());
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      const bool late = round % 8 < 2 && rt.rank() == round % rt.size();
      if (late) rest(5ms);
      entered[rt.rank()].store(round, std::memory_order_relaxed);
      const Timeout patience[] = {kPatience, Timeout::block(), 200us, Timeout::test()};
      Status status;
      while ((status = rt.world().barrier(patience[random.below(4)])).timed_out()) let_others_run();
      ASSERT_TRUE(ok(status));
      for (const auto& other : entered) ASSERT_GE(other.load(std::memory_order_relaxed), round);
    }
  });
}

TEST_P(CrowdedBarrier, ARankThatNeverComesIsATimeout) {
  std::atomic<Rank> gave_up{0};
  run_ranks(kRanks, options(), [&](Runtime& rt) {
    if (rt.rank() != 3) {
      EXPECT_TRUE(fails(rt.world().barrier(20ms), Code::timeout));
      ++gave_up;
    }
    while (rt.rank() == 3 && gave_up != kRanks - 1) rest(1ms);
    EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// While the others yield, and while they sleep.
TEST_P(CrowdedBarrier, ADeathEndsIt) {
  for (const auto later : {0ms, 60ms}) {
    Simulation simulation(kRanks, options());
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 5) {
        rest(later);
        return simulation.kill(5);
      }
      EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed, "rank 5"));
    })));
  }
}

}  // namespace
}  // namespace polder::test
