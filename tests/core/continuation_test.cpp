// Continuations run exactly once: when what they wait for is done, when it never will be, and when the runtime ends.
#include "core/ranks.hpp"

#include <polder/continuation.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace polder::test {
namespace {

// What a continuation was told, and how often.
struct Heard {
  std::atomic<int> times{0};
  std::atomic<Code> code{Code::ok};

  Continuation continuation() {
    return [this](const Status& status) { note(status.code()); };
  }
  FlagContinuation of_flag(std::atomic<NotificationId>& flag) {
    return [this, &flag](const Result<NotificationId>& result) {
      if (result.ok()) flag.store(*result);
      note(result.ok() ? Code::ok : result.status().code());
    };
  }
  void note(Code told) {
    code.store(told);
    times.fetch_add(1);
  }
};

bool eventually(const std::function<bool()>& condition) {
  const util::Deadline deadline(kPatience, clock_here());
  while (!condition()) {
    if (deadline.passed()) return false;
    rest(100us);
  }
  return true;
}

class Continuations : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Continuations, testing::ValuesIn(worlds({2, 4})), name_of_param);

// Nobody here waits for anything: the runtime goes on by itself.
TEST_P(Continuations, OfHandlesAndFencesRunByThemselves) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 4096, .id = 0}, rt.world(), kPatience)));
    const auto data = noise(rt.rank(), 1000);
    Heard of_handle, of_fence, of_all, of_nothing;
    Handle handle, unused;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ok(rt.put(data.data(), {next_of(rt), 0, 1000u * i}, 1000, handle)));
    ASSERT_TRUE(ok(then(rt, handle, of_handle.continuation())));
    ASSERT_TRUE(ok(when_fenced(rt, next_of(rt), of_fence.continuation())));
    ASSERT_TRUE(ok(when_all_fenced(rt, of_all.continuation())));
    ASSERT_TRUE(ok(then(rt, unused, of_nothing.continuation())));
    for (Heard* heard : {&of_handle, &of_fence, &of_all, &of_nothing}) {
      EXPECT_TRUE(eventually([&] { return heard->times.load() != 0; }));
      EXPECT_EQ(heard->code.load(), Code::ok);
    }
    EXPECT_TRUE(handle.idle());
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (Heard* heard : {&of_handle, &of_fence, &of_all, &of_nothing}) EXPECT_EQ(heard->times.load(), 1);
  });
}

TEST_P(Continuations, OfFlagsFindTheFlag) {
  run([](Runtime& rt) {
    for (const SegmentId id : {SegmentId{0}, SegmentId{1}})
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = id, .notifications = 16}, rt.world(), kPatience)));
    std::atomic<NotificationId> first{0}, second{0};
    Heard of_first, of_second;
    ASSERT_TRUE(ok(when_set(rt, 0, 4, 8, of_first.of_flag(first))));
    ASSERT_TRUE(ok(when_set(rt, 1, 0, 16, of_second.of_flag(second))));
    ASSERT_TRUE(ok(rt.notify(next_of(rt), 0, {.id = 9, .value = 1})));
    EXPECT_TRUE(eventually([&] { return of_first.times.load() != 0; }));
    EXPECT_EQ(first.load(), 9u);
    ASSERT_TRUE(ok(rt.notify(next_of(rt), 1, {.id = 3, .value = 1})));
    EXPECT_TRUE(eventually([&] { return of_second.times.load() != 0; }));
    EXPECT_EQ(second.load(), 3u);
    EXPECT_EQ(of_first.times.load(), 1);
    EXPECT_EQ(of_first.code.load(), Code::ok);
  });
}

// A chain: each link posts and leaves the next one.
TEST_P(Continuations, MayLeaveOthers) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.remote_segment(next_of(rt), 0, kPatience)));  // a continuation could not wait for the answer
    constexpr int kLaps = 20;
    std::atomic<int> laps{0}, ended{0};  // `ended` counts last: whoever sees it may leave them
    std::atomic<bool> failed{false};
    std::function<void()> listen = [&] {
      const Status left = when_set(rt, 0, 0, 1, [&](const Result<NotificationId>& flag) {
        if (!flag.ok() || !rt.reset(0, 0).ok()) return failed.store(true);
        if (laps.fetch_add(1) + 1 < kLaps) listen();
        if (rt.rank() != 0 || laps.load() < kLaps)
          if (!rt.notify(next_of(rt), 0, {.id = 0, .value = 1}, Post(Timeout::test())).ok()) failed.store(true);
        ended.fetch_add(1);
      });
      if (!left.ok()) failed.store(true);
    };
    listen();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok(rt.notify(next_of(rt), 0, {.id = 0, .value = 1})));
    }
    EXPECT_TRUE(eventually([&] { return ended.load() >= kLaps || failed.load(); }));
    EXPECT_FALSE(failed.load());
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Continuations, HearThatASegmentIsDeleted) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4}, rt.world(), kPatience)));
    std::atomic<NotificationId> flag{0};
    Heard heard;
    ASSERT_TRUE(ok(when_set(rt, 0, 0, 4, heard.of_flag(flag))));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.delete_segment(0)));
    EXPECT_TRUE(eventually([&] { return heard.times.load() != 0; }));
    EXPECT_EQ(heard.code.load(), Code::invalid_segment);
    EXPECT_EQ(heard.times.load(), 1);
  });
}

// Whichever thread runs it: that which watches the segment's bell must not wait for itself.
TEST_P(Continuations, MayDeleteTheirSegment) {
  run([](Runtime& rt) {
    Handle unused;
    Heard before;
    ASSERT_TRUE(ok(then(rt, unused, before.continuation())));  // from now on there is a helper, which soon sleeps
    EXPECT_TRUE(eventually([&] { return before.times.load() != 0; }));
    rest(2ms);
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4})));
      ASSERT_TRUE(ok(rt.notify(rt.rank(), 0, {.id = 2, .value = 1}, kPatience)));
      std::atomic<bool> ended{false};
      ASSERT_TRUE(ok(when_set(rt, 0, 0, 4, [&](const Result<NotificationId>& flag) {
        EXPECT_EQ(flag.value_or(0), 2u);
        EXPECT_TRUE(ok(rt.delete_segment(0)));
        ended.store(true);
      })));
      if (eventually([&] { return ended.load(); })) continue;
      std::fputs("a continuation hangs that deletes its segment, and its runtime would never end\n", stderr);
      std::abort();
    }
  });
}

TEST_P(Continuations, EndWithTheirRuntime) {
  std::vector<Heard> heard(GetParam().ranks);
  std::atomic<NotificationId> flag{0};
  run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(when_set(rt, 0, 0, 4, heard[rt.rank()].of_flag(flag))));
  });
  for (const Heard& each : heard) {
    EXPECT_EQ(each.times.load(), 1);
    EXPECT_TRUE(each.code.load() == Code::closed || each.code.load() == Code::peer_failed);
  }
}

TEST_P(Continuations, AreRefusedWithWrongArguments) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4}, rt.world(), kPatience)));
    Handle handle;
    const FlagContinuation any = [](const Result<NotificationId>&) { ADD_FAILURE() << "it was not left"; };
    EXPECT_TRUE(fails(then(rt, handle, nullptr), Code::invalid_argument));
    EXPECT_TRUE(fails(when_set(rt, 0, 0, 1, nullptr), Code::invalid_argument));
    EXPECT_TRUE(fails(when_set(rt, 0, 3, 2, any), Code::invalid_notification));
    EXPECT_TRUE(fails(when_set(rt, 0, 0, 0, any), Code::invalid_notification));
    EXPECT_TRUE(fails(when_set(rt, 77, 0, 1, any), Code::invalid_segment));
    EXPECT_TRUE(fails(when_fenced(rt, rt.size(), [](const Status&) {}), Code::invalid_rank));
  });
}

class ContinuationsOfTheDead : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, ContinuationsOfTheDead,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages,
                                         SimulatedDevice::shm));

// The flag will never come, the fence is over, and what was posted has ended one way or the other.
TEST_P(ContinuationsOfTheDead, RunOnceWithTheNews) {
  constexpr Rank kDead = 1;
  Simulation simulation(2, {.device = GetParam(), .detection_ns = 5'000'000, .runtime = {.timeout = kPatience}});
  std::atomic<bool> seen{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    const auto segment = rt.create_segment({.size = 4096, .id = 0, .notifications = 4}, rt.world(), kPatience);
    if (rt.rank() == kDead) {  // perhaps dead before it has heard that the others are there
      while (!seen.load()) rest(1ms);
      return;
    }
    ASSERT_TRUE(ok(segment));
    std::atomic<NotificationId> flag{0};
    Heard of_flag, of_handle, of_fence;
    ASSERT_TRUE(ok(when_set(rt, 0, 0, 4, of_flag.of_flag(flag))));
    simulation.kill(kDead);
    Handle handle;
    const auto data = noise(1, 1000);
    [[maybe_unused]] const Status posted = rt.put(data.data(), {kDead, 0, 0}, 1000, handle);
    ASSERT_TRUE(ok(then(rt, handle, of_handle.continuation())));
    EXPECT_TRUE(eventually([&] { return of_flag.times.load() != 0 && of_handle.times.load() != 0; }));
    EXPECT_EQ(of_flag.code.load(), Code::peer_failed);
    ASSERT_TRUE(ok(when_fenced(rt, kDead, of_fence.continuation())));
    EXPECT_TRUE(eventually([&] { return of_fence.times.load() != 0; }));
    EXPECT_EQ(of_fence.code.load(), Code::peer_failed);
    for (Heard* heard : {&of_flag, &of_handle, &of_fence}) EXPECT_EQ(heard->times.load(), 1);
    seen.store(true);
  })));
}

// The continuation hears of the failure, and the queue does not.
TEST(ContinuationOfAHandle, HearsOfAFailureBehindTheEndOfTheHandle) {
  SimulationOptions options = World{SimulatedDevice::network, 2, 10'000'000, 0, true}.options();
  options.min_delay_ns = options.max_delay_ns;
  Simulation simulation(2, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 4096, .id = 0, .notifications = 4}, rt.world(), kPatience)));
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails(rt.wait_some(0, 0, 1, Timeout::block()), Code::closed));
      return;
    }
    const auto data = noise(1, 1000);
    ASSERT_TRUE(ok(rt.put(data.data(), {1, 0, 0}, 1000, Until::remote)));
    Heard heard;
    {
      Handle handle;
      ASSERT_TRUE(ok(rt.put(data.data(), {1, 0, 0}, 1000, handle)));
      ASSERT_TRUE(ok(then(rt, handle, heard.continuation())));
    }
    simulation.kill(1);
    EXPECT_TRUE(eventually([&] { return heard.times.load() != 0; }));
    EXPECT_EQ(heard.code.load(), Code::peer_failed);
    EXPECT_EQ(heard.times.load(), 1);
    EXPECT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  })));
}

// One that is left just when another thread deletes its segment runs all the same, and looks at no memory that has gone.
TEST_P(Continuations, MayBeLeftWhileTheirSegmentIsDeleted) {
  if (GetParam().deterministic) GTEST_SKIP() << "threads that run at once tell it";
  run([](Runtime& rt) {
    std::vector<Heard> heard(200);
    std::atomic<NotificationId> flag{0};
    int left = 0;
    for (Heard& each : heard) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4})));
      Thread deleting([&] { EXPECT_TRUE(ok(rt.delete_segment(0))); });
      const Status status = when_set(rt, 0, 0, 4, each.of_flag(flag));
      deleting.join();
      if (!status.ok()) {
        EXPECT_TRUE(fails(status, Code::invalid_segment));
        EXPECT_EQ(each.times.load(), 0);
        continue;
      }
      ++left;
      EXPECT_TRUE(eventually([&] { return each.times.load() != 0; }));
      EXPECT_EQ(each.code.load(), Code::invalid_segment);
    }
    RecordProperty("left", left);
  });
}

}  // namespace
}  // namespace polder::test
