// What was posted to members before a barrier is there behind it, on whatever ways data and flags travel.
#include "core/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace polder::test {
namespace {

class BarrierFence : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, BarrierFence, testing::ValuesIn(worlds({1, 2, 5, 8})), name_of_param);

using Meet = std::function<Status(Runtime&)>;

// In each round all ranks put to all without waiting for anything but the barrier.
void check_barrier(const World& world, const Meet& meet) {
  constexpr std::size_t kWords = 300;
  constexpr std::uint64_t kRounds = 15;
  run_ranks(world.ranks, world.options(), [&](Runtime& rt) {
    const std::size_t block = kWords * sizeof(std::uint64_t);
    auto segment = rt.create_segment({.size = block * rt.size(), .id = 3}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const auto words = segment->as<std::uint64_t>();
    bool posted = true;
    std::size_t missing = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {  // all of them, or the others would wait for good
      const std::vector<std::uint64_t> data(kWords, round);
      for (Rank peer = 0; peer < rt.size(); ++peer)
        posted = rt.put(data.data(), {peer, 3, block * rt.rank()}, block).ok() && posted;
      EXPECT_TRUE(ok(meet(rt)));
      missing += std::size_t(std::count_if(words.begin(), words.end(), [&](std::uint64_t w) { return w != round; }));
      posted = rt.queue().wait(Completion::local, kPatience).ok() && posted;
      EXPECT_TRUE(ok(rt.world().barrier(kPatience))) << "all have looked";
    }
    EXPECT_TRUE(posted);
    EXPECT_EQ(missing, 0u) << "words at rank " << rt.rank();
  });
}

TEST_P(BarrierFence, PutsOfAllAreThere) {
  check_barrier(GetParam(), [](Runtime& rt) { return rt.world().barrier(kPatience); });
}

TEST_P(BarrierFence, AlsoWhenItIsResumed) {
  check_barrier(GetParam(), [](Runtime& rt) {
    Status status;
    for (int turn = 0; (status = rt.world().barrier(turn % 2 == 0 ? Timeout::test() : Timeout(20us))).timed_out();
         ++turn)
      let_others_run();
    return status;
  });
}

// What a barrier that timed out was waiting for may end by itself. The next one still has to wait for what came after:
// its flag takes half as long as the answer to a put.
TEST(BarrierFenceThatTimedOut, IsNotTheNextOnes) {
  constexpr std::int64_t kDelay_ns = 20'000'000;
  const SimulationOptions slow{
      .device = SimulatedDevice::network, .min_delay_ns = kDelay_ns, .max_delay_ns = kDelay_ns};
  run_ranks(2, slow, [](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 3}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::uint64_t word = 1;
    ASSERT_TRUE(ok(rt.put(&word, {next_of(rt), 3, 0}, 8)));
    const Status first = rt.world().barrier(Timeout::test());
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    if (!first.ok()) {
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
    ASSERT_TRUE(ok(rt.put(&word, {next_of(rt), 3, 8}, 8)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_TRUE(ok(rt.fence_all(Timeout::test()))) << "all that was posted before has been carried out";
  });
}

TEST_P(BarrierFence, PostsOfAnotherThreadDoNotKeepItUp) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 3}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    std::atomic<bool> over{false};
    Thread poster([&] {
      auto queue = *rt.create_queue(16);
      const std::uint64_t word = 1;
      for (Status status; !over.load() && status.ok(); let_others_run())
        status = rt.put(&word, {next_of(rt), 3, 8}, 8, Post(*queue, kPatience));
      EXPECT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
    });
    for (int round = 0; round < 10; ++round) {
      Status status;
      while ((status = rt.world().barrier(round % 2 == 0 ? Timeout::test() : kPatience)).timed_out()) let_others_run();
      EXPECT_TRUE(ok(status));
    }
    over.store(true);
    poster.join();
  });
}

TEST_P(BarrierFence, ADeadMemberEndsIt) {
  if (GetParam().ranks < 2) GTEST_SKIP() << "needs a member that can die";
  const Rank last = GetParam().ranks - 1;
  Simulation simulation(GetParam().ranks, GetParam().options());
  ASSERT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 3}, rt.world(), kPatience);
    if (rt.rank() == last) {
      simulation.kill(last);
      return;
    }
    if (!segment.ok()) return;  // the death was seen there already, and a barrier now would go on with that one's
    const std::uint64_t word = 1;
    if (Status posted = rt.put(&word, {last, 3, 0}, 8); posted.ok()) let_others_run();  // its end may be seen
    EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed));
  })));
}

}  // namespace
}  // namespace polder::test
