// Ranks that leave in good order while others are in a collective: one that has been through it is not missed, however
// long the others take; one that has not is.
#include "faulty.hpp"

#include <polder/collective.hpp>

#include <cstdlib>
#include <functional>

#include <unistd.h>

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

// Who has nothing more to do than to send leaves at once; the others come later.
TEST_P(Leave, WhatItSentBeforeArrives) {
  EXPECT_TRUE(ok(simulation_.run([](Runtime& rt) {
    constexpr std::size_t kLarge = 50'000;
    if (rt.rank() != 0) rest(rt.rank() * 50ms);
    std::vector<char> all(kLarge * rt.size(), 'x'), mine(kLarge);
    const std::vector<std::size_t> parts(rt.size(), kLarge);
    EXPECT_TRUE(ok(scatter(rt.world(), 0, parts, all.data(), mine.data(), kPatience)));
    EXPECT_EQ(mine, std::vector<char>(kLarge, 'x'));
    std::uint64_t word = rt.rank() == 0 ? 7 : 0;
    EXPECT_TRUE(ok(broadcast(rt.world(), 0, &word, sizeof word, kPatience)));
    EXPECT_EQ(word, 7u);
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

// A handler ends the process: it runs in the very thread that would be waited for. Where a rank has two devices, the
// other one goes on bringing messages.
class LeaveInAHandlerDeathTest : public testing::TestWithParam<World> {
 protected:
  static void exit_in_a_handler(Rank caller) {
    static Runtime* leaving = nullptr;
    alarm(100);  // rather than never
    SimulationOptions options = GetParam().options();
    options.detection_ns = 5'000'000;
    Simulation simulation(3, options);
    (void)simulation.run([&](Runtime& rt) {
      if (rt.rank() == 1) {
        leaving = &rt;
        std::atexit([] { leaving->leave(); });
        (void)rt.register_handler(1, [](Rank, std::span<const std::byte>) {
          rest(20ms);  // in which more comes
          std::exit(3);
        });
        (void)rt.register_handler(2, [](Rank, std::span<const std::byte>) {});
      }
      (void)rt.world().barrier(kPatience);
      rest(20ms);  // so that the helper sleeps, and each device brings its messages itself
      if (rt.rank() == caller) (void)rt.send(1, 1, {}, kPatience);
      while (true) {
        rest(1ms);
        if (rt.rank() == 2 - caller) (void)rt.send(1, 2, {}, Timeout::test());
      }
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, LeaveInAHandlerDeathTest,
                         testing::Values(World{SimulatedDevice::network, 3}, World{SimulatedDevice::shm, 3},
                                         World{SimulatedDevice::network, 3, 0, 2}),
                         name_of_param);

TEST_P(LeaveInAHandlerDeathTest, EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_in_a_handler(0), testing::ExitedWithCode(3), "");
}

TEST_P(LeaveInAHandlerDeathTest, EndsTheProcessWhicheverDeviceBroughtTheMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_in_a_handler(2), testing::ExitedWithCode(3), "");
}

// Of the time that passes, in virtual time: whoever waits for a rank that has left before is told at once, and not when its last
// letters can no longer be under way.
class LeaveInVirtualTime : public testing::TestWithParam<World> {
 protected:
  static constexpr std::int64_t kAtOnce = 200'000'000;  // ns

  // Ranks meet; rank 0 leaves, and the others cannot do `collective` without it.
  void expect_told(const std::function<Status(Runtime&, Group&)>& collective) {
    SimulationOptions options = GetParam().options();
    options.detection_ns = 5'000'000;
    Simulation simulation(GetParam().ranks, options);
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      EXPECT_TRUE(ok(collective(rt, rt.world())));
      if (rt.rank() == 0) return;
      const std::int64_t begin = clock_here().now_ns();
      EXPECT_TRUE(fails(collective(rt, rt.world()), Code::peer_failed, "rank 0"));
      EXPECT_LT(clock_here().now_ns() - begin, kAtOnce) << "rank " << rt.rank();
    })));
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, LeaveInVirtualTime,
                         testing::Values(World{SimulatedDevice::direct, 4, 0, 0, true},
                                         World{SimulatedDevice::network, 4, 150'000, 0, true},
                                         World{SimulatedDevice::messages, 4, 150'000, 0, true}),
                         name_of_param);

TEST_P(LeaveInVirtualTime, BeforeABarrier) {
  expect_told([](Runtime&, Group& group) { return group.barrier(Timeout::block()); });
}

TEST_P(LeaveInVirtualTime, BeforeAGathering) {
  expect_told([](Runtime& rt, Group& group) {
    const Rank mine = rt.rank();
    std::vector<Rank> all(group.size());
    return group.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                           Timeout::block());
  });
}

TEST_P(LeaveInVirtualTime, BeforeAnAllreduce) {
  expect_told([](Runtime&, Group& group) {
    const std::vector<double> mine(2000, 1.0);
    std::vector<double> sum(mine.size());
    return allreduce(group, Reduction::sum, DataType::float64, mine.data(), sum.data(), mine.size(), Timeout::block());
  });
}

TEST_P(LeaveInVirtualTime, BeforeItsBroadcast) {
  expect_told([](Runtime&, Group& group) {
    std::uint64_t word = 7;
    return broadcast(group, 0, &word, sizeof word, Timeout::block());
  });
}

TEST_P(LeaveInVirtualTime, BeforeAnAlltoall) {
  expect_told([](Runtime&, Group& group) {
    std::vector<std::uint64_t> out(group.size(), 3), in(group.size());
    return alltoall(group, sizeof(std::uint64_t), out.data(), in.data(), Timeout::block());
  });
}

// Rank 0 sends to all and leaves. A rank that hands its data on begins, computes for longer than any grace, and goes
// on: those behind it wait for that, and not for rank 0.
TEST_P(LeaveInVirtualTime, BehindACollectiveIsNotMissed) {
  SimulationOptions options = GetParam().options();
  options.detection_ns = 5'000'000;
  for (const Rank late : {1, 2, 3}) {
    SCOPED_TRACE("rank " + std::to_string(late) + " is late");
    Simulation simulation(GetParam().ranks, options);
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      std::uint64_t word = rt.rank() == 0 ? 7 : 0;
      auto operation = Collective::broadcast(rt.world(), 0, &word, sizeof word);
      ASSERT_TRUE(ok(operation));
      Status status = operation->run(rt.rank() == late ? Timeout::test() : kPatience);
      if (status.timed_out()) {
        rest(5s);
        status = operation->run(kPatience);
      }
      EXPECT_TRUE(ok(status)) << "rank " << rt.rank();
      EXPECT_EQ(word, 7u);
    })));
  }
}

}  // namespace
}  // namespace polder::test
