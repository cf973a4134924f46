#include "util/outside_order.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace polder::util {
namespace {

// The word between the two is ordered by fences, of which the thread sanitizer knows as little as of another process.
TEST(OutsideOrder, WhatWasDoneBeforeItWasToldIsSeenByThoseWhoHear) {
  for (int round = 0; round < 100; ++round) {
    int memory = 0;
    std::atomic<bool> told{false};
    std::thread other([&] {
      while (!told.load(std::memory_order_relaxed)) std::this_thread::yield();
      std::atomic_thread_fence(std::memory_order_acquire);
      hear_outside();
      EXPECT_EQ(memory, round + 1);
      memory = -1;
    });
    memory = round + 1;
    tell_outside();
    std::atomic_thread_fence(std::memory_order_release);
    told.store(true, std::memory_order_relaxed);
    other.join();
    EXPECT_EQ(memory, -1);
  }
}

}  // namespace
}  // namespace polder::util
