// Flags that count up, waiting for several flags, and waiting for a word.
#include "core/ranks.hpp"

#include <polder/continuation.hpp>

#include <atomic>
#include <functional>
#include <vector>

namespace polder::test {
namespace {

class Waits : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Waits, testing::ValuesIn(worlds({2, 3})), name_of_param);

constexpr NotificationValue kRounds = 40;

TEST_P(Waits, NothingIsLostOfAFlagThatCountsUp) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 8}, rt.world(), kPatience)));
    const std::uint64_t data = rt.rank() + 1;
    const Notification up{.id = 5, .value = 2, .op = NotificationOp::add};
    for (NotificationValue i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(ok(rt.notify(0, 0, up, kPatience)));
      ASSERT_TRUE(ok(rt.put_notify(&data, {0, 0, 8 * rt.rank()}, 8, up, kPatience)));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
    }
    if (rt.rank() != 0) return;
    const NotificationValue all = kRounds * 4 * rt.size();
    EXPECT_EQ(rt.wait_count(0, 5, all, kPatience).value_or(0), all);
    EXPECT_EQ(rt.reset(0, 5).value_or(0), all);
    EXPECT_TRUE(fails(rt.wait_count(0, 5, 1, Timeout::test()), Code::timeout));
    for (Rank rank = 0; rank < rt.size(); ++rank) {
      std::uint64_t there = 0;
      ASSERT_TRUE(ok(rt.get(&there, {0, 0, 8 * rank}, 8, kPatience)));
      EXPECT_EQ(there, rank + 1) << "the flag never overtakes the data";
    }
  });
}

TEST_P(Waits, ForSomeOfManyFlags) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 0, .notifications = 8}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.notify(0, 0, {.id = rt.rank() + 1}, kPatience)));
    if (rt.rank() != 0) return;
    EXPECT_EQ(rt.wait_several(0, 0, 8, rt.size(), kPatience).value_or(0), rt.size());
    EXPECT_EQ(rt.wait_several(0, 0, 8, 0, Timeout::test()).value_or(0), rt.size());
    EXPECT_TRUE(fails(rt.wait_several(0, 0, 8, rt.size() + 1, Timeout::test()), Code::timeout));
    EXPECT_TRUE(fails(rt.wait_several(0, 0, 8, 9, kPatience), Code::invalid_argument, "9 of 8"));
    EXPECT_TRUE(fails(rt.wait_several(0, 4, 8, 1, kPatience), Code::invalid_notification));
    EXPECT_TRUE(fails(rt.wait_count(0, 8, 1, kPatience), Code::invalid_notification));
    EXPECT_TRUE(fails(rt.wait_count(7, 0, 1, kPatience), Code::invalid_segment));
  });
}

// Nobody rings for a put or an atomic: the waiter finds out all the same.
TEST_P(Waits, ForAWordThatOthersChange) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    const GlobalPointer<std::int64_t> mine({rt.rank(), 0, 8}), theirs({next_of(rt), 0, 8});
    const std::int64_t minus = -5;
    ASSERT_TRUE(ok(rt.put(std::span(&minus, 1), theirs, {Until::remote, kPatience})));
    const auto below = rt.wait_until(mine, Compare::less, 0, kPatience);
    ASSERT_TRUE(ok(below));
    EXPECT_EQ(*below, -5);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));  // all have seen it
    rest(5ms);                                       // so that some waiters are asleep
    for (int i = 0; i < 15; ++i) ASSERT_TRUE(ok(rt.fetch_add(theirs.address(), std::int64_t{1}, kPatience)));
    EXPECT_EQ(rt.wait_until(mine, Compare::greater_equal, 10, kPatience).value_or(0), 10);
    EXPECT_EQ(rt.wait_until(mine, Compare::equal, 10, kPatience).value_or(0), 10);
    EXPECT_TRUE(fails(rt.wait_until(mine, Compare::greater, 10, 2ms), Code::timeout));
    EXPECT_TRUE(fails(rt.wait_until(mine, Compare::not_equal, 10, Timeout::test()), Code::timeout));
    const GlobalPointer<std::uint8_t> flag({rt.rank(), 0, 32});
    ASSERT_TRUE(ok(rt.post_swap(nullptr, {next_of(rt), 0, 32}, std::uint8_t{200}, kPatience)));
    EXPECT_EQ(rt.wait_until(flag, Compare::greater_equal, 200, kPatience).value_or(0), 200);
  });
}

TEST_P(Waits, WrongWordsAreRefused) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 12, .id = 0}, rt.world(), kPatience)));
    const auto wait = [&](GlobalAddress word, Compare compare = Compare::equal) {
      return rt.wait_until(GlobalPointer<std::uint64_t>(word), compare, 0, kPatience);
    };
    EXPECT_TRUE(ok(wait({rt.rank(), 0, 0})));
    EXPECT_TRUE(fails(wait({rt.rank(), 0, 0}, Compare(6)), Code::invalid_argument, "6"));
    EXPECT_TRUE(fails(wait({next_of(rt), 0, 0}), Code::invalid_rank));
    EXPECT_TRUE(fails(wait({rt.rank(), 0, 4}), Code::invalid_alignment));
    EXPECT_TRUE(fails(wait({rt.rank(), 0, 8}), Code::invalid_offset));
    EXPECT_TRUE(fails(wait({rt.rank(), 9, 0}), Code::invalid_segment));
  });
}

TEST(WaitsAndFaults, AWaitForAWordEndsWithTheRankThatItNeeds) {
  Simulation simulation(3, {.device = SimulatedDevice::network});
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    if (!segment.ok() || rt.rank() == 1) return void(rt.wait_some(0, 0, 1, kPatience));
    if (rt.rank() == 2) return simulation.kill(1);
    const GlobalPointer<std::uint64_t> word({0, 0, 0});
    EXPECT_TRUE(fails(rt.wait_until(word, Compare::equal, 1, kPatience, {.rank = 1}), Code::peer_failed));
    EXPECT_TRUE(fails(rt.wait_count(0, 0, 1, kPatience, {.rank = 1}), Code::peer_failed));
    EXPECT_TRUE(fails(rt.wait_several(0, 0, 2, 1, kPatience, {.rank = 1}), Code::peer_failed));
  })));
}

// A rank that waits looks on as long as something comes: not beyond its time, and not for a rank that is no more.
TEST(WaitsAndFaults, AWaitEndsInTimeAmidWhatComes) {
  Simulation simulation(3, {.device = SimulatedDevice::network});
  std::atomic<bool> is_over{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0, .notifications = 1}, rt.world(), kPatience);
    if (!segment.ok() || rt.rank() == 2) return void(rt.wait_some(0, 0, 1, kPatience));
    if (rt.rank() == 1) {
      const std::uint64_t word = 7;
      for (int i = 0; !is_over; ++i) {
        const Status status = rt.put(&word, {0, 0, 8}, 8, {Until::remote, kPatience});
        ASSERT_TRUE(is_over || ok(status));  // rank 0 may have left meanwhile
        if (i == 2000) simulation.kill(2);
      }
      return;
    }
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 1, 3ms), Code::timeout));
    const GlobalPointer<std::uint64_t> mine({0, 0, 0});
    EXPECT_TRUE(fails(rt.wait_until(mine, Compare::equal, 1, 3ms), Code::timeout));
    EXPECT_TRUE(fails(rt.wait_until(mine, Compare::equal, 1, kPatience, {.rank = 2}), Code::peer_failed));
    EXPECT_TRUE(fails(rt.wait_count(0, 0, 1, kPatience, {.rank = 2}), Code::peer_failed));
    is_over = true;
  })));
}

// ---- the end of the segment ----

using Wait = Status (*)(Runtime&);

// Each waits in vain for what changes in segment 0 of its rank.
constexpr Wait kWaits[] = {
    [](Runtime& rt) { return rt.wait_some(0, 0, 4, kPatience).status(); },
    [](Runtime& rt) { return rt.wait_several(0, 0, 4, 2, kPatience).status(); },
    [](Runtime& rt) { return rt.wait_count(0, 1, 3, kPatience).status(); },
    [](Runtime& rt) {
      const GlobalPointer<std::uint32_t> word({rt.rank(), 0, 8});
      return rt.wait_until(word, Compare::equal, 1, kPatience).status();
    },
    [](Runtime& rt) {
      Status status;
      do status = rt.wait_some(0, 0, 4, Timeout::test()).status();
      while (status.timed_out());
      return status;
    },
};

class WaitsInADeletedSegment : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, WaitsInADeletedSegment, testing::ValuesIn(worlds({1, 2})), name_of_param);

// On their way, awake and asleep: none of them touches what is no more.
TEST_P(WaitsInADeletedSegment, End) {
  run([](Runtime& rt) {
    for (int round = 0; round < 4; ++round)
      for (const Wait wait : kWaits) {
        ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4})));
        std::vector<Thread> waiters;
        for (int i = 0; i < 2; ++i) waiters.emplace_back([&] { EXPECT_TRUE(fails(wait(rt), Code::invalid_segment)); });
        rest(1ms * round);
        EXPECT_TRUE(ok(rt.delete_segment(0)));
        for (Thread& waiter : waiters) waiter.join();
      }
  });
}

class WaitsThatServe : public testing::TestWithParam<SimulatedDevice> {
 protected:
  // Whoever waits runs what is due.
  void run(const std::function<void(Runtime&)>& body) const {
    run_ranks(2, {.device = GetParam(), .runtime = {.timeout = kPatience, .helper = Helper::none}}, body);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, WaitsThatServe,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages,
                                         SimulatedDevice::shm));

// It cannot wait for the wait that it is a part of.
TEST_P(WaitsThatServe, LiveUntilTheEndOfASegmentThatTheirHandlerDeletes) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.register_handler(
        1, [&](Rank, auto) { EXPECT_TRUE(fails(rt.delete_segment(0), Code::timeout, "still waits")); })));
    for (const SegmentId id : {SegmentId{0}, SegmentId{1}})
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = id, .notifications = 4}, rt.world(), kPatience)));
    if (rt.rank() == 1) {
      ASSERT_TRUE(ok(rt.wait_some(1, 0, 1, kPatience)));
      ASSERT_TRUE(ok(rt.send(0, 1, {}, kPatience)));
      return;
    }
    ASSERT_TRUE(ok(rt.notify(1, 1, {.id = 0}, kPatience)));  // the next call is the one that serves the message
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 4, kPatience), Code::invalid_segment));
    EXPECT_TRUE(ok(rt.create_segment({.size = 64, .id = 0})));
  });
}

TEST_P(WaitsThatServe, LiveUntilTheEndOfASegmentThatTheirContinuationDeletes) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 4}, rt.world(), kPatience)));
    Handle unused;
    ASSERT_TRUE(ok(then(
        rt, unused, [&](const Status&) { EXPECT_TRUE(fails(rt.delete_segment(0), Code::timeout, "still waits")); })));
    EXPECT_TRUE(fails(rt.wait_count(0, 0, 1, kPatience), Code::invalid_segment));
    EXPECT_TRUE(ok(rt.create_segment({.size = 64, .id = 0})));
  });
}

TEST(GlobalPointers, CountInElements) {
  const GlobalPointer<double> begin({3, 1, 64});
  EXPECT_EQ((begin + 2).address(), (GlobalAddress{3, 1, 80}));
  EXPECT_EQ((begin + 2) - begin, 2);
  EXPECT_EQ(begin - (begin + 2), -2);
  GlobalPointer<double> at = begin;
  EXPECT_EQ((++at - 3).address().offset, 48u);
  EXPECT_LT(begin, at);
  EXPECT_LT(at, GlobalPointer<double>({4, 0, 0}));
  const GlobalPointer<const double> readable = begin;
  EXPECT_EQ(readable.rank(), 3u);
}

TEST_P(Waits, TypedPutsAndGetsAndPointers) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    const GlobalPointer<float> there({next_of(rt), 0, 0});
    const std::vector<float> three = {1, 2, 3};
    ASSERT_TRUE(ok(rt.put(three, there + 2, {Until::remote, kPatience})));
    std::vector<float> back(4);
    ASSERT_TRUE(ok(rt.get(back, GlobalPointer<const float>(there) + 1, {Until::local, kPatience})));
    EXPECT_EQ(back, (std::vector<float>{0, 1, 2, 3}));
    EXPECT_TRUE(fails(rt.put(three, there + 14, kPatience), Code::invalid_offset));
    auto direct = rt.direct_pointer(there + 3, kPatience);
    ASSERT_TRUE(ok(direct));
    if (*direct != nullptr) {
      EXPECT_EQ(**direct, 2.0f);
    }
    EXPECT_TRUE(
        fails(rt.direct_pointer(GlobalPointer<float>({next_of(rt), 0, 2}), kPatience), Code::invalid_alignment));
    EXPECT_TRUE(fails(rt.direct_pointer(there + 16, kPatience), Code::invalid_offset));
  });
}

}  // namespace
}  // namespace polder::test
