#include "util/spin_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace polder::util {
namespace {

TEST(SpinLock, IsTakenOnce) {
  SpinLock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(SpinLock, ExcludesMoreThreadsThanCores) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 5000;
  SpinLock lock;
  long plain = 0;  // not atomic: the lock is what makes this right
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        const std::lock_guard guard(lock);
        plain = plain + 1;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(plain, long{kThreads} * kRounds);
}

}  // namespace
}  // namespace polder::util
