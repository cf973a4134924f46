#include "common/available_memory.hpp"

#include <gtest/gtest.h>

namespace apps {
namespace {

TEST(AvailableMemory, IsSomethingBetweenAMegabyteAndAPetabyte) {
  const polder::Result<std::uint64_t> available = available_memory();
  ASSERT_TRUE(available.ok()) << available.status().to_string();
  EXPECT_GT(*available, std::uint64_t{1} << 20);
  EXPECT_LT(*available, std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace apps
