#include "memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace terasort {
namespace {

constexpr std::uint64_t kHugePage = 2u << 20;

TEST(Arena, BeginsAtAHugePageAndIsZero) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, 3 * kHugePage}) {
    const Result<Arena> arena = Arena::reserve(bytes);
    ASSERT_TRUE(arena.ok());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena->data()) % kHugePage, 0u);
    EXPECT_GE(arena->bytes(), bytes);
    EXPECT_EQ(arena->data()[0], std::byte{0});
    EXPECT_EQ(arena->data()[arena->bytes() - 1], std::byte{0});
  }
}

TEST(Arena, AReleasedPartIsZeroAgainAndTheRestStays) {
  const Result<Arena> arena = Arena::reserve(3 * kHugePage);
  ASSERT_TRUE(arena.ok());
  std::fill_n(arena->data(), arena->bytes(), std::byte{7});
  arena->release(kHugePage, kHugePage);
  EXPECT_EQ(arena->data()[kHugePage - 1], std::byte{7});
  EXPECT_EQ(arena->data()[kHugePage], std::byte{0});
  EXPECT_EQ(arena->data()[2 * kHugePage - 1], std::byte{0});
  EXPECT_EQ(arena->data()[2 * kHugePage], std::byte{7});
}

}  // namespace
}  // namespace terasort
