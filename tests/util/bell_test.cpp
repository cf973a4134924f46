#include "util/bell.hpp"

#include "util/deadline.hpp"
#include "util/platform.hpp"
#include "util/shared_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <new>
#include <thread>
#include <vector>

namespace polder::util {
namespace {

using namespace std::chrono_literals;
constexpr std::int64_t kMinute = 60'000'000'000;

// What a waiter does, without the spinning: true once `done` is set, false after half a minute.
bool sleep_until_set(Bell& bell, const std::atomic<bool>& done) {
  const std::int64_t end = now_ns() + kMinute / 2;
  while (now_ns() < end) {
    Bell::Listener listener(bell);
    if (done) return true;
    listener.sleep(kMinute);
  }
  return done;
}

TEST(Bell, RingingForNobodyChangesNothing) {
  Bell bell;
  bell.ring();
  EXPECT_EQ(bell.rings, 0u);
}

TEST(Bell, ListenerIsCountedWhileItLives) {
  Bell bell;
  {
    const Bell::Listener first(bell);
    const Bell::Listener second(bell);
    EXPECT_EQ(bell.sleepers, 2u);
  }
  EXPECT_EQ(bell.sleepers, 0u);
}

TEST(Bell, RingBetweenListeningAndSleepingIsNotLost) {
  Bell bell;
  const std::int64_t start = now_ns();
  Bell::Listener listener(bell);
  bell.ring();
  listener.sleep(kMinute);
  EXPECT_LT(now_ns() - start, kMinute / 2);
}

TEST(Bell, OneRingWakesAll) {
  Bell bell;
  std::atomic<bool> done{false};
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { woken += sleep_until_set(bell, done) ? 1 : 0; });
  while (bell.sleepers < 4) std::this_thread::sleep_for(1ms);
  done = true;
  bell.ring();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(woken, 4);
  EXPECT_EQ(bell.sleepers, 0u);
}

// A token goes back and forth; one lost wake-up would cost a minute.
TEST(Bell, PingPongLosesNoWakeUp) {
  constexpr int kRounds = 2000;
  Bell bells[2];
  std::atomic<int> turn{0};
  const auto play = [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      while (turn.load(std::memory_order_acquire) != me) {
        Bell::Listener listener(bells[me]);
        if (turn.load(std::memory_order_acquire) == me) break;
        listener.sleep(kMinute);
      }
      turn.store(1 - me, std::memory_order_release);
      bells[1 - me].ring();
    }
  };
  const std::int64_t start = now_ns();
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_LT(now_ns() - start, kMinute / 2);
}

TEST(Bell, WakesAnotherProcess) {
  struct Shared {
    Bell bell;
    std::atomic<bool> done;
  };
  auto file = create_memory_file("bell", kPage);
  ASSERT_TRUE(file.ok());
  auto memory = map_shared(*file, kPage);
  ASSERT_TRUE(memory.ok());
  auto* shared = new (memory->data()) Shared{};
  const pid_t child = fork();
  if (child == 0) _exit(sleep_until_set(shared->bell, shared->done) ? 0 : 1);
  while (shared->bell.sleepers == 0) std::this_thread::sleep_for(1ms);
  shared->done = true;
  shared->bell.ring();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace polder::util
