// Handles, blocking calls and implicit waiting.
#include "core/ranks.hpp"

#include <atomic>
#include <numeric>
#include <thread>

namespace polder::test {
namespace {

class Handles : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Handles, testing::ValuesIn(worlds({1, 2, 4})), name_of_param);

TEST_P(Handles, WaitForWhatWasPostedWithThem) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 8192, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const Rank to = next_of(rt);
    const auto sent = noise(rt.rank() + 1, 4096);
    std::vector<std::byte> back(4096);
    Handle put, get;
    EXPECT_TRUE(put.idle());
    EXPECT_TRUE(ok(put.wait(Completion::remote, Timeout::test()))) << "of nothing";
    for (std::size_t part = 0; part < 4; ++part)
      ASSERT_TRUE(ok(rt.put(sent.data() + part * 1024, {to, 1, part * 1024}, 1024, put)));
    ASSERT_TRUE(ok(put.wait(Completion::remote, kPatience)));
    EXPECT_TRUE(put.idle());
    ASSERT_TRUE(ok(rt.get(back.data(), {to, 1, 0}, 4096, get)));
    ASSERT_TRUE(ok(get.wait(Completion::local, kPatience)));
    EXPECT_EQ(back, sent);
  });
}

TEST_P(Handles, MayBeUsedAgainAndMoved) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const Rank to = next_of(rt);
    Handle handle;
    for (std::uint64_t i = 1; i <= 20; ++i) {
      ASSERT_TRUE(ok(rt.put(&i, {to, 1, 0}, 8, handle)));
      Handle moved = std::move(handle);
      ASSERT_TRUE(ok(moved.wait(Completion::remote, kPatience)));
      std::uint64_t seen = 0;
      ASSERT_TRUE(ok(rt.get(&seen, {to, 1, 0}, 8, moved)));
      handle = std::move(moved);
      ASSERT_TRUE(ok(handle.wait(Completion::local, kPatience)));
      EXPECT_EQ(seen, i);
    }
  });
}

TEST_P(Handles, MayDieBeforeTheirOperations) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 256, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    std::vector<std::uint64_t> values(32);
    std::iota(values.begin(), values.end(), rt.rank() * 100);
    for (std::size_t i = 0; i < 32; ++i) {
      Handle plain, aggregate(Handle::Kind::aggregate);
      ASSERT_TRUE(ok(rt.put(&values[i], {next_of(rt), 1, i * 8}, 8, i % 2 == 0 ? plain : aggregate)));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(segment->as<std::uint64_t>()[i], previous_of(rt) * 100 + i);
  });
}

TEST_P(Handles, BlockingCallsReturnWhenTheirPartIsDone) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 4096, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const Rank to = next_of(rt);
    std::vector<std::byte> buffer;
    for (std::uint64_t round = 0; round < 10; ++round) {
      buffer = noise(round, 2048);
      ASSERT_TRUE(ok(rt.put(buffer.data(), {to, 1, 0}, 2048, {Until::local, kPatience})));
      std::fill(buffer.begin(), buffer.end(), std::byte{0xff});  // it is ours again
      ASSERT_TRUE(ok(rt.fence(to, kPatience)));
      std::vector<std::byte> back(2048);
      ASSERT_TRUE(ok(rt.get(back.data(), {to, 1, 0}, 2048, {Until::local, kPatience})));
      EXPECT_EQ(back, noise(round, 2048)) << "round " << round;
      const std::uint64_t one = 1;
      ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &one, {to, 1, 4088}, 8,
                                   {Until::remote, kPatience})));
      ASSERT_TRUE(ok(rt.get(back.data(), {to, 1, 4088}, 8, {Until::remote, kPatience})));
      EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(back.data()), round + 1);
    }
  });
}

TEST_P(Handles, WaitAllAndWaitForNeedNoHandle) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 800, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (std::size_t i = 0; i < 100; ++i) segment->as<std::uint64_t>()[i] = rt.rank() * 1000 + i;
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    std::vector<std::uint64_t> got(100);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(ok(rt.get(&got[i], {next_of(rt), 1, i * 8}, 8)));
    ASSERT_TRUE(ok(rt.wait_for(next_of(rt), Completion::local, kPatience)));
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(got[i], next_of(rt) * 1000 + i);
    std::fill(got.begin(), got.end(), 0);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(ok(rt.get(&got[i], {next_of(rt), 1, i * 8}, 8)));
    ASSERT_TRUE(ok(rt.wait_all(Completion::local, kPatience)));
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(got[i], next_of(rt) * 1000 + i);
    EXPECT_TRUE(fails(rt.wait_for(rt.size(), Completion::local, kPatience), Code::invalid_rank));
  });
}

TEST_P(Handles, AggregatesArriveWhoeverWaits) {
  const auto waits = std::vector<std::function<Status(Runtime&, Handle&)>>{
      [](Runtime&, Handle& h) { return h.wait(Completion::remote, kPatience); },
      [](Runtime& rt, Handle&) { return rt.fence_all(kPatience); },
      [](Runtime& rt, Handle&) { return rt.fence(next_of(rt), kPatience); },
      [](Runtime& rt, Handle&) { return rt.fence_segment(1, kPatience); },
      [](Runtime& rt, Handle&) { return rt.queue().wait(Completion::remote, kPatience); },
      [](Runtime& rt, Handle&) { return rt.wait_for(next_of(rt), Completion::remote, kPatience); },
  };
  run([&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 8 * 100, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    Handle handle(Handle::Kind::aggregate);
    for (std::uint64_t round = 1; round <= waits.size(); ++round) {
      std::vector<std::uint64_t> values(100);
      for (std::size_t i = 0; i < 100; ++i) {
        values[i] = round * 1000 + i;
        ASSERT_TRUE(ok(rt.put(&values[i], {next_of(rt), 1, i * 8}, 8, handle)));
      }
      ASSERT_TRUE(ok(waits[round - 1](rt, handle)));
      std::vector<std::uint64_t> back(100);
      for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(ok(rt.get(&back[i], {next_of(rt), 1, i * 8}, 8, handle)));
      ASSERT_TRUE(ok(handle.wait(Completion::local, kPatience)));
      EXPECT_EQ(back, values) << "round " << round;
    }
  });
}

TEST_P(Handles, FlagsDoNotOvertakeAggregates) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    Handle handle(Handle::Kind::aggregate);
    const std::uint64_t value = rt.rank() + 77;
    ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 1, 8}, 8, handle)));
    ASSERT_TRUE(ok(rt.notify(next_of(rt), 1, {.id = 3})));
    ASSERT_TRUE(ok(rt.wait_some(1, 3, 1, kPatience)));
    EXPECT_EQ(segment->as<std::uint64_t>()[1], previous_of(rt) + 77u);
    EXPECT_TRUE(ok(handle.wait(Completion::remote, kPatience)));
  });
}

// What is kept back may be posted long after the queue that it was posted with is gone.
TEST_P(Handles, AggregatesOutliveTheirQueue) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::uint64_t values[] = {rt.rank() + 1, rt.rank() + 101};
    Handle handle(Handle::Kind::aggregate);
    for (std::size_t i = 0; i < 2; ++i) {  // the second queue may lie where the first one did
      auto queue = *rt.create_queue(1);
      Post post(*queue);
      post.handle = &handle;
      ASSERT_TRUE(ok(rt.put(&values[i], {next_of(rt), 1, 8 * i}, 8, post)));
    }
    ASSERT_TRUE(ok(handle.wait(Completion::remote, kPatience)));
    std::uint64_t back[2] = {};
    ASSERT_TRUE(ok(rt.get(back, {next_of(rt), 1, 0}, 16, {Until::local, kPatience})));
    EXPECT_EQ(back[0], values[0]);
    EXPECT_EQ(back[1], values[1]);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Handles, RefuseWhatIsWrongAtOnce) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (const auto kind : {Handle::Kind::plain, Handle::Kind::aggregate}) {
      Handle handle(kind);
      const std::uint64_t value = 1;
      EXPECT_TRUE(fails(rt.put(&value, {next_of(rt), 1, 60}, 8, handle), Code::invalid_offset, "offset 60"));
      EXPECT_TRUE(fails(rt.put(nullptr, {next_of(rt), 1, 0}, 8, handle), Code::invalid_argument, "null"));
      EXPECT_TRUE(ok(handle.wait(Completion::remote, Timeout::test()))) << "nothing was posted";
    }
  });
}

// ---- over a network ----

SimulationOptions slow(std::int64_t delay_ns) {
  return {.device = SimulatedDevice::network, .min_delay_ns = delay_ns, .max_delay_ns = delay_ns};
}

TEST(HandlesOverANetwork, TimeOutWhileSomethingIsUnderWay) {
  run_ranks(2, slow(20'000'000), [](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    std::uint64_t value = 5;
    Handle handle;
    ASSERT_TRUE(ok(rt.get(&value, {next_of(rt), 1, 0}, 8, handle)));
    EXPECT_FALSE(handle.idle());
    EXPECT_TRUE(fails(handle.wait(Completion::local, Timeout::test()), Code::timeout));
    EXPECT_TRUE(ok(handle.wait(Completion::local, kPatience)));
    EXPECT_EQ(value, 0u);
  });
}

TEST(HandlesOverANetwork, LearnOfFailuresInsteadOfTheQueue) {
  Simulation simulation(2, slow(1'000'000));
  std::atomic<bool> met{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    ASSERT_TRUE(ok(rt.remote_segment(next_of(rt), 1, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      while (!met) let_others_run();
      simulation.kill(1);
      return;
    }
    met = true;
    const std::uint64_t value = 1;
    Handle handle;
    Status outcome;
    while (outcome.ok()) {
      if (const Status posted = rt.put(&value, {1, 1, 0}, 8, handle); !posted.ok()) {  // it was noticed before
        EXPECT_TRUE(fails(posted, Code::peer_failed, "rank 1"));
        return;
      }
      outcome = handle.wait(Completion::remote, kPatience);
    }
    EXPECT_TRUE(fails(outcome, Code::peer_failed, "rank 1"));
    EXPECT_TRUE(ok(handle.wait(Completion::remote, kPatience))) << "each failure is told once";
    EXPECT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience))) << "and not by the queue";
  })));
}

// The end of a get in vain frees its local memory, too: nobody may take that for the arrival of the data.
TEST(HandlesOverANetwork, NoGetSucceedsWithoutItsData) {
  for (int life = 0; life < 20; ++life) {
    Simulation simulation(2, slow(200'000));
    std::atomic<int> arrived{0};
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      if (rt.rank() == 1) {
        std::atomic_ref(segment->as<std::uint64_t>()[0]).store(7);
        while (arrived < 2) let_others_run();
        simulation.kill(1);
        return;
      }
      Status got;
      while (got.ok()) {
        std::uint64_t value = 0;
        got = rt.get(&value, {1, 1, 0}, 8, {Until::local, kPatience});
        if (got.ok() && value == 7) ++arrived;
        ASSERT_TRUE(!got.ok() || value == 7 || arrived == 0) << "success, and no data";
      }
      EXPECT_TRUE(fails(got, Code::peer_failed, "rank 1"));
    })));
  }
}

// Where a put is awaited until the network has taken its data, that has arrived by then in this simulation. With
// handoff the put is back earlier: mostly, because the machine may be slow, so it is tried until it was.
TEST(HandlesOverANetwork, HandoffReturnsBeforeTheNetworkTookTheData) {
  constexpr std::uint64_t kTries = 100;
  for (const bool handoff : {true, false}) {
    SimulationOptions options = slow(2'000'000);
    options.runtime.handoff = handoff;
    std::uint64_t early = 0;
    std::atomic<std::uint64_t*> there{nullptr};
    run_ranks(2, options, [&](Runtime& rt) {
      auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      if (rt.rank() == 1) there = segment->as<std::uint64_t>().data();
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 1) return;
      const std::uint64_t tries = handoff ? kTries : 5;
      for (std::uint64_t i = 1; i <= tries && early == 0; ++i) {
        std::uint64_t value = i;
        ASSERT_TRUE(ok(rt.put(&value, {1, 1, 0}, 8, {Until::local, kPatience})));
        value = 0;  // it is ours again
        early += std::atomic_ref(*there.load()).load() != i;
        ASSERT_TRUE(ok(rt.fence(1, kPatience)));
        EXPECT_EQ(std::atomic_ref(*there.load()).load(), i);
      }
    });
    EXPECT_EQ(early, handoff ? 1u : 0u);
  }
}

// More blocking puts than the pool has buffers: each waits for one, and all arrive.
TEST(HandlesOverANetwork, HandoffStallsWhenThePoolIsEmpty) {
  run_ranks(2, slow(2'000'000), [](Runtime& rt) {
    constexpr std::size_t kPuts = 200;
    auto segment = rt.create_segment({.size = kPuts * 8, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (std::uint64_t i = 0; i < kPuts; ++i) {
      const std::uint64_t value = i + 1;
      ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 1, i * 8}, 8, {Until::local, kPatience})));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::uint64_t i = 0; i < kPuts; ++i) EXPECT_EQ(segment->as<std::uint64_t>()[i], i + 1);
  });
}

}  // namespace
}  // namespace polder::test
