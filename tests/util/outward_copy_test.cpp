#include "util/outward_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace polder::util {
namespace {

constexpr std::size_t kBytes = OutwardCopy::kLeast;
constexpr auto kThrough = OutwardCopy::Way::through_cache, kPast = OutwardCopy::Way::past_cache;

bool goes_past_cache(const OutwardCopy& copy) {
  return copy.goes_past_cache(kBytes);
}

void note_twice(OutwardCopy& copy, OutwardCopy::Way way, double ticks) {
  copy.note(way, ticks);
  copy.note(way, ticks);
}

TEST(OutwardCopy, GoesThroughTheCacheBeforeItKnows) {
  EXPECT_FALSE(goes_past_cache(OutwardCopy()));
}

TEST(OutwardCopy, GoesPastTheCacheWhereThatIsMuchSooner) {
  OutwardCopy copy;
  note_twice(copy, kThrough, 4 * OutwardCopy::kGain);
  EXPECT_FALSE(goes_past_cache(copy)) << "the other way is not known";
  copy.note(kPast, 1);
  EXPECT_TRUE(goes_past_cache(copy));
  EXPECT_FALSE(copy.goes_past_cache(kBytes - 1)) << "what is short stays in the cache";
}

TEST(OutwardCopy, StaysInTheCacheForALittle) {
  OutwardCopy copy;
  note_twice(copy, kThrough, 0.9 * OutwardCopy::kGain);
  note_twice(copy, kPast, 1);
  EXPECT_FALSE(goes_past_cache(copy));
}

TEST(OutwardCopy, OneInterruptionDecidesNothing) {
  OutwardCopy copy;
  note_twice(copy, kThrough, 1);
  note_twice(copy, kPast, 1);
  copy.note(kThrough, 1000);
  EXPECT_FALSE(goes_past_cache(copy));
  copy.note(kThrough, 1000);
  EXPECT_TRUE(goes_past_cache(copy)) << "two are no chance";
}

TEST(OutwardCopy, FollowsCoresThatMove) {
  OutwardCopy copy;
  note_twice(copy, kThrough, 10);
  note_twice(copy, kPast, 1);
  ASSERT_TRUE(goes_past_cache(copy));
  copy.note(kThrough, 1);
  EXPECT_FALSE(goes_past_cache(copy));
}

// So many that each way is tried, if it measures.
void check(OutwardCopy copy) {
  std::vector<std::byte> from(3 * kBytes), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte(i * 7 + i / 251);
  for (unsigned i = 0; i < 3 * OutwardCopy::kLook * OutwardCopy::kOther; ++i) {
    const std::size_t bytes = kBytes - 1 + i % 64, begin = i % 61;
    std::fill(to.begin(), to.end(), std::byte{0});
    copy(to.data() + begin, from.data() + i, bytes);
    ASSERT_TRUE(
        std::equal(from.begin() + i, from.begin() + std::ptrdiff_t(i + bytes), to.begin() + std::ptrdiff_t(begin)));
    ASSERT_EQ(to[begin + bytes], std::byte{0});
  }
}

TEST(OutwardCopy, CopiesByAnyWay) {
  check(OutwardCopy());
  check(OutwardCopy(kThrough));
  check(OutwardCopy(kPast));
}

TEST(OutwardCopy, KeepsToTheWayThatItIsGiven) {
  EXPECT_FALSE(goes_past_cache(OutwardCopy(kThrough)));
  EXPECT_TRUE(goes_past_cache(OutwardCopy(kPast)));
}

}  // namespace
}  // namespace polder::util
