#include "util/cpu.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace polder::util {
namespace {

TEST(Cpu, CountsAtLeastOneAndAtMostAll) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), int(std::thread::hardware_concurrency()));
}

// In a thread of its own, which takes the narrow mask with it when it ends.
TEST(Cpu, HeedsTheAffinityMask) {
  int counted = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    counted = usable_cores();
  }).join();
  EXPECT_EQ(counted, 1);
}

}  // namespace
}  // namespace polder::util
