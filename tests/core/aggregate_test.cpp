// What aggregate handles keep back where the network has no room for it, or another thread is about to post it: nobody
// waits for longer than he said, and nothing counts as done before it has been posted. A link that is cut holds what is
// on it, and so is full in the end.
#include "core/ranks.hpp"

#include <polder/continuation.hpp>

#include <atomic>

namespace polder::test {
namespace {

constexpr std::int64_t kNever = std::int64_t{1000} * 1'000'000'000;

SimulationOptions options_of(SimulatedDevice device, bool deterministic = false) {
  return {.device = device,
          .detection_ns = kNever,
          .runtime = {.timeout = kPatience},
          .deterministic = deterministic,
          .limit_ns = kNever / 10};
}

constexpr std::uint64_t kKept = 42;

// Until it stays full: what was sent before the cut may still be read, which makes room.
void fill_way(Runtime& rt, Queue& queue, Rank to) {
  static constexpr std::uint64_t kZero = 0;
  for (int refusals = 0; refusals < 20;) {
    const Status status = rt.put(&kZero, {to, 1, 0}, 8, {queue, Timeout::test()});
    refusals = status.ok() ? 0 : refusals + 1;
    if (status.ok()) continue;
    ASSERT_TRUE(fails(status, Code::queue_full));
    rest(1ms);
  }
}

class FullNetwork : public testing::TestWithParam<SimulatedDevice> {
 protected:
  // Rank 0 runs `body` with a put to rank 1 kept back in a handle, and with the way there full, until it is healed: by
  // `body`, or else, should that hang, later.
  void run_full(Rank ranks, const std::function<void(Runtime&, Handle&)>& body) {
    Simulation simulation(ranks, options_of(GetParam()));
    simulation_ = &simulation;
    run_ranks(simulation, [&](Runtime& rt) {
      auto segment = rt.create_segment({.size = 8192, .id = 1}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      words_[rt.rank()] = segment->as<std::uint64_t>().data();
      for (Rank rank = 0; rank < ranks; ++rank) ASSERT_TRUE(ok(rt.remote_segment(rank, 1, kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 0) run_with_full_way(rt, body);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 1) {
        EXPECT_EQ(segment->as<std::uint64_t>()[1], kKept);
      }
    });
  }

  void heal() {
    is_healed_ = true;
    simulation_->heal(0, 1);
  }
  std::uint64_t word(Rank rank) const { return std::atomic_ref(words_[rank].load()[1]).load(); }

  Simulation* simulation_ = nullptr;

 private:
  void run_with_full_way(Runtime& rt, const std::function<void(Runtime&, Handle&)>& body) {
    Handle handle(Handle::Kind::aggregate);
    auto queue = *rt.create_queue(std::size_t{1} << 20);
    ASSERT_TRUE(ok(rt.put(&kKept, {1, 1, 8}, 8, handle)));
    simulation_->cut(0, 1);
    fill_way(rt, *queue, 1);
    Thread healer([&] {
      for (int look = 0; look < 500 && !is_healed_; ++look) rest(10ms);
      if (is_healed_) return;
      ADD_FAILURE() << "a call that should have returned hangs";
      heal();
    });
    body(rt, handle);
    heal();
    healer.join();
    EXPECT_TRUE(ok(handle.wait(Completion::remote, kPatience)));
    EXPECT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
  }

  std::atomic<bool> is_healed_{false};
  std::atomic<std::uint64_t*> words_[3] = {};
};
INSTANTIATE_TEST_SUITE_P(Devices, FullNetwork, testing::Values(SimulatedDevice::network, SimulatedDevice::messages),
                         [](const auto& made) {
                           return made.param == SimulatedDevice::network ? "network" : "messages";
                         });

TEST_P(FullNetwork, NobodyWaitsForLongerThanHeSaid) {
  run_full(2, [&](Runtime& rt, Handle& handle) {
    for (const Timeout timeout : {Timeout::test(), Timeout(2ms)}) {
      EXPECT_TRUE(fails(handle.wait(Completion::local, timeout), Code::timeout));
      EXPECT_TRUE(fails(handle.wait(Completion::remote, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.queue().wait(Completion::remote, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.fence(1, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.fence_segment(1, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.fence_all(timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.wait_all(Completion::local, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.world().barrier(timeout), Code::timeout));
    }
    EXPECT_FALSE(handle.idle());
  });
}

TEST_P(FullNetwork, PostsPushBackWithoutOvertaking) {
  run_full(2, [&](Runtime& rt, Handle& handle) {
    static std::vector<std::byte> large(4096);  // is in use until the test ends
    static constexpr std::uint64_t value = 7;
    for (const Timeout timeout : {Timeout::test(), Timeout(2ms)}) {
      EXPECT_TRUE(fails(rt.notify(1, 1, {.id = 3}, timeout), Code::queue_full));
      EXPECT_TRUE(fails(rt.put(large.data(), {1, 1, 1024}, large.size(), {handle, timeout}), Code::queue_full));
      EXPECT_TRUE(fails(rt.get(large.data(), {1, 1, 1024}, 8, {handle, timeout}), Code::queue_full)) << "another kind";
      Post strict(timeout);
      strict.ordering = Ordering::strict;
      EXPECT_FALSE(rt.put(&value, {1, 1, 8}, 8, strict).ok());
    }
    for (std::uint64_t i = 1; i < 32; ++i) ASSERT_TRUE(ok(rt.put(&value, {1, 1, 8 + 8 * i}, 8, handle)));
    EXPECT_TRUE(fails(rt.put(&value, {1, 1, 800}, 8, {handle, Timeout::test()}), Code::queue_full)) << "it is full";
  });
}

// A thread that posts holds the others off: what they ask for is not done then.
TEST_P(FullNetwork, NothingIsDoneWhileAnotherThreadPosts) {
  run_full(3, [&](Runtime& rt, Handle& first) {
    auto queue = *rt.create_queue();
    Handle second(Handle::Kind::aggregate);
    Post post(*queue);
    post.handle = &second;
    ASSERT_TRUE(ok(rt.put(&kKept, {2, 1, 8}, 8, post)));
    Thread other([&] { EXPECT_TRUE(ok(first.wait(Completion::remote, kPatience))); });
    rest(20ms);  // by now it posts
    for (const Timeout timeout : {Timeout::test(), Timeout(1ms)}) {
      EXPECT_TRUE(fails(queue->wait(Completion::remote, timeout), Code::timeout));
      EXPECT_TRUE(fails(second.wait(Completion::remote, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.fence(2, timeout), Code::timeout));
      EXPECT_TRUE(fails(rt.notify(2, 1, {.id = 3}, timeout), Code::queue_full)) << "it would overtake";
      Post strict(timeout);
      strict.ordering = Ordering::strict;
      EXPECT_TRUE(fails(rt.put(&kKept, {2, 1, 8}, 8, strict), Code::queue_full)) << "it waits for the older one";
    }
    heal();
    other.join();
    EXPECT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
    EXPECT_EQ(word(2), kKept);
  });
}

TEST_P(FullNetwork, ContinuationsWaitUntilItIsPosted) {
  run_full(3, [&](Runtime& rt, Handle& first) {
    Handle second(Handle::Kind::aggregate);
    ASSERT_TRUE(ok(rt.put(&kKept, {2, 1, 8}, 8, second)));
    Thread other([&] { EXPECT_TRUE(ok(first.wait(Completion::remote, kPatience))); });
    rest(20ms);  // by now it posts
    std::atomic<int> told{0};
    const auto look = [&](const Status& status) {
      EXPECT_TRUE(ok(status));
      EXPECT_EQ(word(2), kKept) << "told before it was there";
      ++told;
    };
    ASSERT_TRUE(ok(when_fenced(rt, 2, look)));
    ASSERT_TRUE(ok(then(rt, second, look)));
    rest(20ms);
    heal();
    other.join();
    const util::Deadline deadline(kPatience);
    while (told < 2 && !deadline.passed()) rest(1ms);
    EXPECT_EQ(told, 2) << "nobody else waits for it";
  });
}

// In virtual time. The peer lives on: its end would make room.
TEST_P(FullNetwork, TheRuntimeLeaves) {
  Simulation simulation(2, options_of(GetParam(), true));
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.remote_segment(1 - rt.rank(), 1, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) return simulation.sleep(kNever / 20);
    Handle handle(Handle::Kind::aggregate);
    auto queue = *rt.create_queue(std::size_t{1} << 20);
    ASSERT_TRUE(ok(rt.put(&kKept, {1, 1, 8}, 8, handle)));
    simulation.cut(0, 1);
    fill_way(rt, *queue, 1);
    rt.leave();
    EXPECT_LT(simulation.now_ns(), kNever / 50);
    simulation.heal(0, 1);
  })));
}

}  // namespace
}  // namespace polder::test
