#include "util/futex.hpp"

#include "util/deadline.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace polder::util {
namespace {

using namespace std::chrono_literals;
constexpr std::int64_t kMinute = 60'000'000'000;

TEST(Futex, DoesNotSleepOnAnotherValue) {
  const std::atomic<std::uint32_t> word{1};
  const std::int64_t start = now_ns();
  futex_wait(word, 0, kMinute);
  EXPECT_LT(now_ns() - start, kMinute / 2);
}

TEST(Futex, SleepsNoLongerThanTold) {
  const std::atomic<std::uint32_t> word{0};
  const std::int64_t start = now_ns();
  while (now_ns() - start < 10'000'000) futex_wait(word, 0, 10'000'000);  // may wake early for no reason
  EXPECT_LT(now_ns() - start, kMinute / 2);
}

TEST(Futex, WakesASleeper) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> awake{false};
  std::thread sleeper([&] {
    const std::int64_t start = now_ns();
    while (word.load() == 0) futex_wait(word, 0, kMinute);
    EXPECT_LT(now_ns() - start, kMinute / 2);
    awake = true;
  });
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(awake);
  word = 1;
  futex_wake(word, 1);
  sleeper.join();
  EXPECT_TRUE(awake);
}

}  // namespace
}  // namespace polder::util
