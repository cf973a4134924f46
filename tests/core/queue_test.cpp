// Queues: what is under way, room, failures, and their end. A link that is cut holds operations for as long as a test
// wants.
#include "core/ranks.hpp"

#include <atomic>
#include <thread>

namespace polder::test {
namespace {

constexpr SimulationOptions kPatientNetwork{.device = SimulatedDevice::network,
                                            .detection_ns = std::int64_t{100} * 1'000'000'000,
                                            .runtime = {.timeout = kPatience}};

SimulationOptions options_of(SimulatedDevice device, std::int64_t detection_ns) {
  SimulationOptions options = kPatientNetwork;
  options.device = device;
  options.detection_ns = detection_ns;
  return options;
}

constexpr std::int64_t kLate = std::int64_t{100} * 1'000'000'000, kSoon = 20'000'000;

// Lets rank 1 sum up a word. Of all that can be posted this needs no look at the target first, which a cut link would
// hold.
Status post_word(Runtime& rt, const std::uint64_t* word, std::uint64_t offset, Post post = {}) {
  return rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, word, {1, 0, offset}, sizeof *word, post);
}

class HeldQueue : public testing::TestWithParam<SimulatedDevice> {
 protected:
  // Rank 0 runs `body` with a segment of its peer at hand and the link to it cut.
  void run_held(const std::function<void(Runtime&)>& body) {
    run_ranks(simulation_, [&](Runtime& rt) {
      auto segment = rt.create_segment({.size = 4096, .id = 0}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      ASSERT_TRUE(ok(rt.remote_segment(1, 0, kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 0) {
        ASSERT_TRUE(ok(rt.fence_all(kPatience)));
        simulation_.cut(0, 1);
        body(rt);
        simulation_.heal(0, 1);
      }
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 1) value_ = segment->as<std::uint64_t>()[0];
    });
  }

  Simulation simulation_{2, options_of(GetParam(), kLate)};
  std::uint64_t value_ = 0;  // the first word of rank 1 in the end
};
INSTANTIATE_TEST_SUITE_P(Devices, HeldQueue, testing::Values(SimulatedDevice::network, SimulatedDevice::messages),
                         [](const auto& made) {
                           return made.param == SimulatedDevice::network ? "network" : "messages";
                         });

TEST_P(HeldQueue, CountsAndTimesOut) {
  const std::uint64_t value = 5;
  run_held([&](Runtime& rt) {
    auto queue = *rt.create_queue(4);
    EXPECT_EQ(queue->depth(), 4u);
    EXPECT_EQ(queue->outstanding(), 0u);
    ASSERT_TRUE(ok(queue->wait(Completion::remote, Timeout::test())));
    ASSERT_TRUE(ok(post_word(rt, &value, 0, *queue)));
    ASSERT_TRUE(ok(post_word(rt, &value, 8, *queue)));
    EXPECT_EQ(queue->outstanding(), 2u);
    EXPECT_TRUE(fails(queue->wait(Completion::remote, Timeout::test()), Code::timeout));
    EXPECT_TRUE(fails(queue->wait(Completion::remote, 2ms), Code::timeout));
    EXPECT_TRUE(fails(queue->purge(2ms), Code::timeout));
    EXPECT_TRUE(fails(rt.fence(1, 2ms), Code::timeout));
    EXPECT_TRUE(fails(rt.fence_segment(0, Timeout::test()), Code::timeout));
    EXPECT_TRUE(fails(rt.fence_all(2ms), Code::timeout));
    ASSERT_TRUE(ok(rt.fence(0, kPatience))) << "nothing is under way to this rank itself";
    ASSERT_TRUE(ok(rt.fence_segment(1, kPatience))) << "nor in segments of this id";
    EXPECT_EQ(queue->outstanding(), 2u);
    simulation_.heal(0, 1);
    ASSERT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
    EXPECT_EQ(queue->outstanding(), 0u);
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
  });
  EXPECT_EQ(value_, value);
}

TEST_P(HeldQueue, PushesBackWhenFull) {
  const std::uint64_t values[] = {1, 2};
  run_held([&](Runtime& rt) {
    auto queue = *rt.create_queue(1);
    ASSERT_TRUE(ok(post_word(rt, &values[0], 0, *queue)));
    EXPECT_TRUE(fails(post_word(rt, &values[1], 0, {*queue, Timeout::test()}), Code::queue_full));
    EXPECT_TRUE(fails(post_word(rt, &values[1], 0, {*queue, 2ms}), Code::queue_full));
    EXPECT_EQ(queue->outstanding(), 1u);
    ASSERT_TRUE(ok(post_word(rt, &values[0], 8))) << "another queue has room";
    Thread healer([&] {
      rest(20ms);
      simulation_.heal(0, 1);
    });
    EXPECT_TRUE(ok(post_word(rt, &values[1], 0, {*queue, kPatience}))) << "waits for room";
    healer.join();
    ASSERT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
  EXPECT_EQ(value_, 3u) << "each that was accepted, once";
}

TEST_P(HeldQueue, ATestDoesNotWaitForAnotherThreadsWait) {
  const std::uint64_t value = 3;
  run_held([&](Runtime& rt) {
    Queue& queue = rt.queue();
    ASSERT_TRUE(ok(post_word(rt, &value, 0)));
    std::atomic<bool> waiting{false}, ended{false};
    Thread other([&] {
      waiting = true;
      EXPECT_TRUE(ok(queue.wait(Completion::remote, kPatience)));
      ended = true;
    });
    while (!waiting) let_others_run();
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(fails(queue.wait(Completion::remote, Timeout::test()), Code::timeout));
      EXPECT_TRUE(fails(rt.queue().wait(Completion::remote, 1ms), Code::timeout));
    }
    EXPECT_FALSE(ended.load());
    simulation_.heal(0, 1);
    other.join();
    EXPECT_TRUE(ok(queue.wait(Completion::remote, kPatience)));
  });
}

TEST_P(HeldQueue, OperationsOutliveTheirQueue) {
  std::vector<std::uint64_t> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1000 + i;
  run_held([&](Runtime& rt) {
    for (int number = 0; number < 10; ++number) {
      auto queue = *rt.create_queue(16);
      for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(
            ok(post_word(rt, &values[std::size_t(10 * number + i)], 8 * std::uint64_t(10 * number + i), *queue)));
    }
    EXPECT_TRUE(fails(rt.fence_all(1ms), Code::timeout));
    simulation_.heal(0, 1);
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    std::vector<std::uint64_t> back(values.size());
    ASSERT_TRUE(ok(rt.get(back.data(), {1, 0, 0}, 8 * back.size())));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
    EXPECT_EQ(back, values);
  });
  EXPECT_EQ(value_, 1000u);
}

class FailingQueue : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, FailingQueue, testing::Values(SimulatedDevice::network, SimulatedDevice::messages),
                         [](const auto& made) {
                           return made.param == SimulatedDevice::network ? "network" : "messages";
                         });

TEST_P(FailingQueue, EachFailureIsReportedOnceOrPurged) {
  Simulation simulation(2, options_of(GetParam(), kSoon));
  const std::uint64_t value = 1;
  const Status end = simulation.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.remote_segment(1 - rt.rank(), 0, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed));
      return;
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    auto reported = *rt.create_queue(), purged = *rt.create_queue(), untouched = *rt.create_queue();
    simulation.cut(0, 1);
    ASSERT_TRUE(ok(post_word(rt, &value, 0, *reported)));
    ASSERT_TRUE(ok(post_word(rt, &value, 8, *reported)));
    ASSERT_TRUE(ok(post_word(rt, &value, 0, *purged)));
    EXPECT_TRUE(fails(reported->wait(Completion::remote, kPatience), Code::peer_failed, "rank 1"));
    EXPECT_TRUE(ok(reported->wait(Completion::remote, kPatience))) << "reported once";
    EXPECT_TRUE(ok(purged->purge(kPatience)));
    EXPECT_TRUE(ok(purged->wait(Completion::remote, kPatience)));
    EXPECT_TRUE(ok(untouched->wait(Completion::remote, kPatience)));
    EXPECT_EQ(reported->outstanding(), 0u);
    while (rt.health(1) == Health::healthy) let_others_run();  // operations may end a moment before the peer
    EXPECT_TRUE(fails(post_word(rt, &value, 0, *untouched), Code::peer_failed, "rank 1"));
    EXPECT_TRUE(fails(rt.fence(1, kPatience), Code::peer_failed, "rank 1"));
    ASSERT_TRUE(ok(rt.mark_failed(1)));
  });
  EXPECT_TRUE(ok(end));
}

class Queues : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Queues, testing::ValuesIn(worlds({1, 4})), name_of_param);

TEST_P(Queues, ManyThreadsShareAShallowQueue) {
  run([](Runtime& rt) {
    constexpr std::size_t kThreads = 3, kPuts = 100;
    auto segment = rt.create_segment({.size = kThreads * kPuts * 8, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    auto queue = *rt.create_queue(2);
    std::vector<Thread> threads;
    for (std::size_t number = 0; number < kThreads; ++number)
      threads.emplace_back([&, number] {
        std::vector<std::uint64_t> values(kPuts);
        for (std::size_t i = 0; i < kPuts; ++i) {
          values[i] = number * kPuts + i + 1;
          ASSERT_TRUE(ok(rt.put(&values[i], {next_of(rt), 0, (values[i] - 1) * 8}, 8, {*queue, kPatience})));
        }
        ASSERT_TRUE(ok(queue->wait(Completion::local, kPatience)));
      });
    for (Thread& thread : threads) thread.join();
    ASSERT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::size_t i = 0; i < kThreads * kPuts; ++i) ASSERT_EQ(segment->as<std::uint64_t>()[i], i + 1);
  });
}

TEST_P(Queues, QueuesComeAndGo) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    const std::uint64_t value = rt.rank();
    for (int i = 0; i < 300; ++i) {
      auto queue = *rt.create_queue(8);
      ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 0, 0}, 8, *queue)));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
