// The table of what a rank offers.
#include "device/wire/state/exposed_memory.hpp"

#include <gtest/gtest.h>

namespace polder::device::wire {
namespace {

TEST(ExposedMemory, NumberZeroIsNoMemoryWhateverWasThere) {
  ExposedMemory memory;
  EXPECT_EQ(memory.find_any(0), nullptr);
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t handle = memory.add({});
    ASSERT_NE(memory.find(handle), nullptr);
    round == 0 ? memory.remove(handle) : memory.clear();
    EXPECT_EQ(memory.find_any(handle), nullptr);
    EXPECT_EQ(memory.find_any(0), nullptr);
  }
}

}  // namespace
}  // namespace polder::device::wire
