#include "util/placement.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <thread>
#include <vector>

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
    begin_on_core(index, 3, index);
    const cpu_set_t after = cores_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&before, &after)) << index;
  }
}

TEST(Placement, ThreadsBeginSpreadOverAllCores) {
  const auto chosen = [](unsigned threads, unsigned cores, unsigned node = 0) {
    std::vector<unsigned> all;
    for (unsigned index = 0; index < threads; ++index) all.push_back(core_to_begin_on(index, threads, node, cores));
    return all;
  };
  EXPECT_EQ(chosen(4, 4), (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(chosen(3, 4), (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(chosen(2, 8), (std::vector<unsigned>{0, 4}));
  EXPECT_EQ(chosen(5, 2), (std::vector<unsigned>{0, 1, 0, 1, 0}));
  EXPECT_EQ(chosen(4, 4, 1), (std::vector<unsigned>{1, 2, 3, 0}));
  EXPECT_EQ(chosen(2, 8, 5), (std::vector<unsigned>{5, 1}));
  EXPECT_EQ(chosen(2, 2, ~0u), (std::vector<unsigned>{1, 0}));
}

TEST(Placement, LeavesAPinnedThreadPinned) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    begin_on_core(1, 2, 0);
    const cpu_set_t after = cores_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&one, &after));
  }).join();
}

}  // namespace
}  // namespace polder::util
