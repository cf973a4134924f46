// The interval that stands for what is under way.
#include "core/segment/hazards.hpp"

#include <gtest/gtest.h>

namespace polder::core {
namespace {

TEST(RangesUnderWay, MeetNothingWhenThereIsNothing) {
  RangesUnderWay ranges;
  EXPECT_FALSE(ranges.may_meet({0, UINT64_MAX}));
  const auto ticket = ranges.enter({10, 20});
  ranges.leave(ticket);
  EXPECT_FALSE(ranges.may_meet({10, 20}));
}

TEST(RangesUnderWay, MeetWhatSharesAByte) {
  RangesUnderWay ranges;
  const auto ticket = ranges.enter({10, 20});
  EXPECT_TRUE(ranges.may_meet({19, 30}));
  EXPECT_TRUE(ranges.may_meet({0, 11}));
  EXPECT_TRUE(ranges.may_meet({12, 13}));
  EXPECT_FALSE(ranges.may_meet({20, 30})) << "neighbours";
  EXPECT_FALSE(ranges.may_meet({0, 10})) << "neighbours";
  EXPECT_FALSE(ranges.may_meet({15, 15})) << "an empty range";
  ranges.leave(ticket);
}

TEST(RangesUnderWay, ForgetOldRangesOnceAllHasArrived) {
  RangesUnderWay ranges;
  const auto first = ranges.enter({0, 8});
  const auto second = ranges.enter({100, 108});
  EXPECT_TRUE(ranges.may_meet({50, 60})) << "one interval holds both";
  ranges.leave(first);
  EXPECT_TRUE(ranges.may_meet({0, 8})) << "which of them arrived is not kept";
  ranges.leave(second);
  const auto third = ranges.enter({200, 208});
  EXPECT_FALSE(ranges.may_meet({0, 108}));
  ranges.leave(third);
}

TEST(RangesUnderWay, LetASequenceOfNeighboursPass) {
  RangesUnderWay ranges;
  for (std::uint64_t block = 0; block < 100; ++block) {
    EXPECT_FALSE(ranges.may_meet({block * 64, block * 64 + 64}));
    (void)ranges.enter({block * 64, block * 64 + 64});
  }
}

}  // namespace
}  // namespace polder::core
