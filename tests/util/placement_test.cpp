#include "util/placement.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <thread>

namespace polder::util {
namespace {

cpu_set_t cores_of_this_thread() {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

TEST(Placement, LeavesTheThreadAllItsCores) {
  const cpu_set_t before = cores_of_this_thread();
  for (unsigned index = 0; index < 5; ++index) {
    begin_on_core(index);
    const cpu_set_t after = cores_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&before, &after)) << index;
  }
}

TEST(Placement, LeavesAPinnedThreadPinned) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    begin_on_core(1);
    const cpu_set_t after = cores_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&one, &after));
  }).join();
}

}  // namespace
}  // namespace polder::util
