// Read-modify-write: what each operation does, and that nothing gets lost between many who do it.
#include "core/ranks.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

namespace polder::test {
namespace {

class Atomics : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Atomics, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

template <class T>
void every_operation(Runtime& rt, std::uint64_t offset) {
  const GlobalAddress word{next_of(rt), 0, offset};
  const T all = T(~T{0});
  EXPECT_EQ(rt.swap(word, T{10}).value_or(99), T{0});
  EXPECT_EQ(rt.fetch_add(word, T{5}).value_or(99), T{10});
  EXPECT_EQ(rt.fetch_add(word, T(-20)).value_or(99), T{15});
  EXPECT_EQ(rt.compare_swap(word, T{1}, T{2}).value_or(99), T(-5)) << "differs: not stored";
  EXPECT_EQ(rt.compare_swap(word, T(-5), T{12}).value_or(99), T(-5));
  const auto raw = [&](AtomicOp op, T operand) {
    auto old = rt.atomic(op, word, sizeof(T), std::uint64_t(std::make_unsigned_t<T>(operand)), 0, kPatience);
    EXPECT_TRUE(ok(old));
    return T(old.value_or(99));
  };
  EXPECT_EQ(raw(AtomicOp::fetch_and, T{6}), T{12});
  EXPECT_EQ(raw(AtomicOp::fetch_or, T{9}), T{4});
  EXPECT_EQ(raw(AtomicOp::fetch_xor, all), T{13});
  EXPECT_EQ(raw(AtomicOp::swap, all), T(~T{13}));
  EXPECT_EQ(rt.fetch_add(word, T{1}).value_or(99), all);
  EXPECT_EQ(rt.fetch_add(word, T{0}).value_or(99), T{0}) << "wraps";
}

TEST_P(Atomics, EveryOperationOnBothWidths) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    segment->as<std::uint32_t>()[3] = segment->as<std::uint32_t>()[5] = 0xabcdef01;  // neighbours of the 4 bytes at 16
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    every_operation<std::int64_t>(rt, 0);
    every_operation<std::uint64_t>(rt, 24);
    every_operation<std::int32_t>(rt, 16);
    every_operation<std::uint32_t>(rt, 32);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(segment->as<std::uint32_t>()[3], 0xabcdef01);
    EXPECT_EQ(segment->as<std::uint32_t>()[5], 0xabcdef01);
  });
}

constexpr int kThreads = 2;
constexpr int kRounds = 60;

template <class Body>
void in_threads(Body&& body) {
  std::vector<Thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body);
  for (Thread& thread : threads) thread.join();
}

template <class T>
void count_together(const World& world) {
  std::mutex mutex;
  std::vector<T> tickets;
  run_ranks(world.ranks, world.options(), [&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    in_threads([&] {
      for (int round = 0; round < kRounds; ++round) {
        auto ticket = rt.fetch_add({0, 0, 0}, T{1}, kPatience);
        ASSERT_TRUE(ok(ticket));
        std::lock_guard lock(mutex);
        tickets.push_back(*ticket);
      }
    });
  });
  std::sort(tickets.begin(), tickets.end());
  ASSERT_EQ(tickets.size(), std::size_t(kRounds) * kThreads * world.ranks);
  for (std::size_t i = 0; i < tickets.size(); ++i) ASSERT_EQ(tickets[i], T(i)) << "each ticket is drawn once";
}

TEST_P(Atomics, TicketsOf64BitsAreDrawnOnce) {
  count_together<std::uint64_t>(GetParam());
}
TEST_P(Atomics, TicketsOf32BitsAreDrawnOnce) {
  count_together<std::uint32_t>(GetParam());
}

TEST_P(Atomics, ALockOfCompareSwapExcludes) {
  if (util::kThreadSanitizer && GetParam().device == SimulatedDevice::shm)
    GTEST_SKIP() << "each rank maps the lock elsewhere, and the thread sanitizer takes it for several";
  std::uint64_t guarded = 0;  // no atomic: the lock is all that protects it
  run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    in_threads([&] {
      for (int round = 0; round < 10; ++round) {
        while (true) {
          auto old = rt.compare_swap({rt.size() - 1, 0, 8}, std::uint32_t{0}, rt.rank() + 1, kPatience);
          ASSERT_TRUE(ok(old));
          if (*old == 0) break;
          let_others_run();
        }
        guarded += 1;
        auto old = rt.swap({rt.size() - 1, 0, 8}, std::uint32_t{0}, kPatience);
        ASSERT_TRUE(ok(old));
        ASSERT_EQ(*old, rt.rank() + 1);
      }
    });
  });
  EXPECT_EQ(guarded, std::uint64_t{10} * kThreads * GetParam().ranks);
}

}  // namespace
}  // namespace polder::test
