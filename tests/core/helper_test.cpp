// The helper thread: asleep, polling, or not there.
#include "core/ranks.hpp"
#include "util/environment.hpp"

#include <atomic>
#include <thread>

namespace polder::test {
namespace {

struct Mode {
  Helper helper;
  SimulatedDevice device;
};

class Helpers : public testing::TestWithParam<Mode> {
 protected:
  SimulationOptions options() const {
    SimulationOptions options{.device = GetParam().device, .max_delay_ns = 20'000};
    options.runtime.helper = GetParam().helper;
    return options;
  }
};

std::vector<Mode> modes() {
  std::vector<Mode> all;
  for (const Helper helper : {Helper::none, Helper::sleeping, Helper::polling})
    for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages})
      all.push_back({helper, device});
  return all;
}

std::string name_of_mode(const testing::TestParamInfo<Mode>& info) {
  constexpr const char* kHelpers[] = {"inherit", "none", "sleeping", "polling"};
  return std::string(kHelpers[int(info.param.helper)]) +
         (info.param.device == SimulatedDevice::network ? "_network" : "_messages");
}

INSTANTIATE_TEST_SUITE_P(Modes, Helpers, testing::ValuesIn(modes()), name_of_mode);

// Whoever waits serves its peers meanwhile, so this works without a helper as well.
TEST_P(Helpers, AllOperationsWork) {
  run_ranks(3, options(), [](Runtime& rt) {
    auto array = rt.allocate(rt.world(), {.size = 4096}, kPatience);
    ASSERT_TRUE(ok(array));
    const auto bytes = noise(rt.rank() + 1, 2048);
    ASSERT_TRUE(ok(rt.put(bytes.data(), (*array)->at(next_of(rt)), 2048, {Until::remote, kPatience})));
    const double one = 1;
    ASSERT_TRUE(ok(rt.accumulate({}, &one, (*array)->at(0, 4000), 8, {Until::remote, kPatience})));
    ASSERT_TRUE(ok(rt.fetch_add<std::uint64_t>((*array)->at(0, 4008), 1, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    std::vector<std::byte> back(2048);
    ASSERT_TRUE(ok(rt.get(back.data(), (*array)->at(previous_of(rt)), 2048, {Until::local, kPatience})));
    EXPECT_EQ(back, noise((rt.rank() + 1) % 3 + 1, 2048)) << "what the one before our neighbour put";
    if (rt.rank() == 0) {
      EXPECT_EQ(*reinterpret_cast<const double*>((*array)->segment().data + 4000), 3.0);
      EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>((*array)->segment().data + 4008), 3u);
    }
    ASSERT_TRUE(ok((*array)->free(kPatience)));
  });
}

// A target that computes: the helper does its work, and without one the work waits for the next call.
TEST_P(Helpers, ServeATargetThatComputes) {
  std::atomic<bool> computing{false}, done{false}, timed_out{false};
  run_ranks(2, options(), [&](Runtime& rt) {
    auto array = rt.allocate(rt.world(), {.size = 64}, kPatience);
    ASSERT_TRUE(ok(array));
    const bool alone = GetParam().helper == Helper::none;
    // A segment is asked for once, and without a helper its owner must be there to answer.
    ASSERT_TRUE(ok(rt.remote_segment(1 - rt.rank(), (*array)->id(), kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) {
      while (!computing) let_others_run();
      const std::int64_t one = 1;
      const Accumulation sum{.op = Reduction::sum, .type = DataType::int64};
      Handle handle;
      ASSERT_TRUE(ok(rt.accumulate(sum, &one, (*array)->at(1), 8, handle)));
      if (alone) {
        EXPECT_TRUE(fails(handle.wait(Completion::remote, 30ms), Code::timeout)) << "nobody is there to do it";
        timed_out = true;
      }
      EXPECT_TRUE(ok(handle.wait(Completion::remote, kPatience)));
      done = true;
    } else {
      computing = true;
      // "Computing": no call into the runtime until the other one is served, or has seen that it is not.
      while (!(alone ? timed_out : done)) let_others_run();
      while (!done) rt.progress();
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      EXPECT_EQ(*reinterpret_cast<const std::int64_t*>((*array)->segment().data), 1);
    }
    ASSERT_TRUE(ok((*array)->free(kPatience)));
  });
}

class NoHelper : public Helpers {};

INSTANTIATE_TEST_SUITE_P(Modes, NoHelper,
                         testing::Values(Mode{Helper::none, SimulatedDevice::network},
                                         Mode{Helper::none, SimulatedDevice::messages}),
                         name_of_mode);

// Without a helper a rank that waits hears the network also once it sleeps. Were it to sleep on, each round would take
// a slice of half a minute, and some rounds more than all patience.
TEST_P(NoHelper, WhoSleepsIsWokenByTheNetwork) {
  const util::ScopedEnvironment slice("POLDER_SLICE_MS", "30000"), spin("POLDER_SPIN_US", "0"),
      yield("POLDER_YIELD_US", "0");
  for (const Rank per_node : {0, 1, 2}) {
    SimulationOptions slow = options();
    slow.min_delay_ns = 1'000'000;
    slow.max_delay_ns = 2'000'000;
    slow.ranks_per_node = per_node;
    run_ranks(3, slow, [](Runtime& rt) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience)));
      for (int round = 0; round < 5; ++round) {
        if (rt.rank() == 0) {
          ASSERT_TRUE(ok(rt.notify(1, 0, {.id = 0}, kPatience)));
        }
        ASSERT_TRUE(ok(rt.wait_some(0, 0, 1, kPatience)));
        ASSERT_TRUE(ok(rt.reset(0, 0)));
        if (rt.rank() != 0) {
          ASSERT_TRUE(ok(rt.notify(next_of(rt), 0, {.id = 0}, kPatience)));
        }
      }
    });
  }
}

}  // namespace
}  // namespace polder::test
