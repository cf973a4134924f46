// Ranks that leave in good order while others are in a collective: one that has been through it is not missed, however
// long the others take; one that has not is.
#include "faulty.hpp"

namespace polder::test {
namespace {

class Leave : public testing::TestWithParam<World> {
 protected:
  static SimulationOptions options() {
    SimulationOptions options = GetParam().options();
    options.detection_ns = 5'000'000;
    return options;
  }
  Simulation simulation_{3, options()};
};
INSTANTIATE_TEST_SUITE_P(Worlds, Leave,
                         testing::Values(World{SimulatedDevice::direct, 3}, World{SimulatedDevice::network, 3},
                                         World{SimulatedDevice::messages, 3}, World{SimulatedDevice::shm, 3},
                                         World{SimulatedDevice::network, 3, 0, 1},
                                         World{SimulatedDevice::messages, 3, 0, 2}),
                         name_of_param);

// Rank 2 begins the barrier, computes for longer than any grace, and ends it. Rank 0 has been through it long before,
// and has left; rank 1 waits for rank 2 alone.
TEST_P(Leave, BehindABarrierIsNotMissed) {
  EXPECT_TRUE(ok(simulation_.run([](Runtime& rt) {
    Status status = rt.world().barrier(rt.rank() == 2 ? Timeout::test() : kPatience);
    if (status.timed_out()) {
      rest(2500ms);
      status = rt.world().barrier(kPatience);
    }
    EXPECT_TRUE(ok(status)) << "rank " << rt.rank();
  })));
}

TEST_P(Leave, BeforeABarrierIs) {
  EXPECT_TRUE(ok(simulation_.run([](Runtime& rt) {
    EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) return;
    EXPECT_TRUE(fails(rt.world().barrier(Timeout::block()), Code::peer_failed, "rank"));
    while (rt.health(0) == Health::healthy) rest(1ms);
    EXPECT_EQ(rt.health(0), Health::finished);
  })));
}

TEST_P(Leave, BeforeAGatheringIsMissed) {
  EXPECT_TRUE(ok(simulation_.run([](Runtime& rt) {
    std::vector<Rank> all(rt.size());
    const Rank mine = rt.rank();
    const auto gather = [&](Timeout timeout) {
      return rt.world().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), timeout);
    };
    EXPECT_TRUE(ok(gather(kPatience)));
    if (rt.rank() == 0) return;
    EXPECT_TRUE(fails(gather(Timeout::block()), Code::peer_failed, "rank"));
  })));
}

// With a group that was deleted before.
TEST_P(Leave, ItsWordHoldsForGroupsThatItDeleted) {
  EXPECT_TRUE(ok(simulation_.run([](Runtime& rt) {
    auto group = rt.create_group(0, rt.size());
    ASSERT_TRUE(ok(group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    Status status = (*group)->barrier(rt.rank() == 2 ? Timeout::test() : kPatience);
    if (status.timed_out()) {
      rest(2500ms);
      status = (*group)->barrier(kPatience);
    }
    EXPECT_TRUE(ok(status)) << "rank " << rt.rank();
  })));
}

// Of two that are gone, the one that died is the reason.
TEST_P(Leave, IsNotNamedWhereAnotherRankDied) {
  SimulationOptions without_world = options();
  without_world.runtime.commit_world = false;
  Simulation simulation(3, without_world);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    if (rt.rank() == 0) return;
    if (rt.rank() == 1) return simulation.kill(1);
    while (rt.health(0) != Health::finished || rt.health(1) != Health::failed) rest(1ms);
    EXPECT_TRUE(fails(rt.world().commit(kPatience), Code::peer_failed, "rank 1 has failed"));
  })));
}

// Threads of a rank that leaves are in calls: all end, and those that come later are refused.
TEST_P(Leave, EndsTheCallsOfOtherThreads) {
  EXPECT_TRUE(ok(simulation_.run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 8}, rt.world(), kPatience)));
    const Rank next = next_of(rt);
    std::vector<std::thread> threads;
    if (rt.rank() == 0) {
      threads.emplace_back([&] {
        const std::uint64_t value = 1;
        Status status;
        while (status.ok()) status = rt.put_notify(&value, {next, 0, 0}, 8, {.id = 0}, Until::remote);
        EXPECT_TRUE(status.code() == Code::closed || status.code() == Code::peer_failed) << status.to_string();
      });
      threads.emplace_back([&] { EXPECT_TRUE(fails(rt.wait_some(0, 5, 1, Timeout::block()), Code::closed)); });
    }
    rest(5ms);
    if (rt.rank() == 0) {
      rt.leave();
      rt.leave();
      EXPECT_TRUE(fails(rt.put("x", {next, 0, 0}, 1), Code::closed));
      EXPECT_TRUE(fails(rt.world().barrier(Timeout::block()), Code::closed));
    } else {
      EXPECT_TRUE(fails(rt.wait_some(0, 5, 1, Timeout::block(), {.rank = 0}), Code::peer_failed, "rank 0"));
    }
    for (std::thread& thread : threads) thread.join();
  })));
}

}  // namespace
}  // namespace polder::test
