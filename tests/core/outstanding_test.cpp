// Counting what is under way: a waiter sees the end of all that began before it, and later ones do not keep it up.
#include "core/progress/outstanding.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

namespace polder::core {
namespace {

TEST(OutstandingOperations, NothingIsPassedAtOnce) {
  Outstanding operations;
  Outstanding::Wait wait;
  EXPECT_TRUE(operations.passed(wait));
}

TEST(OutstandingOperations, OneThatBeganBeforeIsAwaited) {
  Outstanding operations;
  const auto ticket = operations.enter();
  Outstanding::Wait wait;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(operations.passed(wait));
  operations.leave(ticket);
  EXPECT_TRUE(operations.passed(wait));
}

// A poster that never lets the count fall to zero, and a waiter that looks once between its posts.
TEST(OutstandingOperations, LaterOnesDoNotKeepAWaiterUp) {
  Outstanding operations;
  std::deque<Outstanding::Ticket> under_way;
  for (int i = 0; i < 4; ++i) under_way.push_back(operations.enter());
  Outstanding::Wait wait;
  int looks = 0;
  for (; !operations.passed(wait) && looks < 100; ++looks) {
    under_way.push_back(operations.enter());
    operations.leave(under_way.front());
    under_way.pop_front();
    ASSERT_NE(operations.count(), 0);
  }
  EXPECT_LT(looks, 100);
}

// Waiters beside it make turns, too: they must neither end a wait too early nor put it off.
TEST(OutstandingOperations, OtherWaitersNeitherEndNorProlongIt) {
  Outstanding operations;
  const auto oldest = operations.enter();
  Outstanding::Wait wait;
  for (int i = 0; i < 20; ++i) {
    const auto passing = operations.enter();
    Outstanding::Wait other;
    for (int look = 0; look < 5; ++look) EXPECT_FALSE(operations.passed(other));
    operations.leave(passing);
    EXPECT_FALSE(operations.passed(wait)) << "the oldest is still under way";
  }
  const auto later = operations.enter();
  operations.leave(oldest);
  Outstanding::Wait other;
  for (int look = 0; look < 5; ++look) operations.passed(other);
  for (int look = 0; look < 5; ++look) operations.passed(wait);
  operations.leave(later);
  EXPECT_TRUE(operations.passed(wait));
}

TEST(OutstandingOperations, ManyThreadsEachSeeTheirOwnEnd) {
  constexpr int kThreads = 4, kRounds = 2000;
  Outstanding operations;
  std::atomic<int> too_early{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const auto ticket = operations.enter();
        Outstanding::Wait wait;
        for (int look = 0; look < 8; ++look)
          if (operations.passed(wait)) ++too_early;
        operations.leave(ticket);
        while (!operations.passed(wait)) std::this_thread::yield();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(too_early.load(), 0);
  EXPECT_EQ(operations.count(), 0);
}

}  // namespace
}  // namespace polder::core
