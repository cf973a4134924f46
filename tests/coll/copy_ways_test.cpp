#include "coll/port/copy_ways.hpp"
#include "coll/port/desk_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace polder::coll {
namespace {

using Step = CopyWays::Step;

// So often that it is believed.
void settle(CopyWays& ways, Step step, double ticks) {
  for (unsigned copy = 0; copy < 200; ++copy) ways.note(step, ticks);
}

constexpr CopyWays::Vector kAny;  // nothing has to wait for room, and one takes it

// How many of the next `count` vectors are copied once.
unsigned count_once(CopyWays& ways, unsigned count) {
  unsigned once = 0;
  for (unsigned i = 0; i < count; ++i) once += ways.next_is_once(kAny) ? 1 : 0;
  return once;
}

// From the first vector of a turn on: behind those that try both ways.
CopyWays& behind_its_beginning(CopyWays& ways) {
  count_once(ways, CopyWays::kTurn);
  return ways;
}

TEST(CopyWays, AreTheUsersIfHeSaysSo) {
  CopyWays once(CopyWays::Ways::once), twice(CopyWays::Ways::twice);
  for (CopyWays* const ways : {&once, &twice}) {
    settle(*ways, Step::put, 1), settle(*ways, Step::take, 1);
    settle(*ways, Step::once, ways == &once ? 100 : 0.1);
  }
  EXPECT_EQ(count_once(once, 2 * CopyWays::kTurn), 2 * CopyWays::kTurn);
  EXPECT_EQ(count_once(twice, 2 * CopyWays::kTurn), 0u);
  EXPECT_TRUE(once.may_be_once());
  EXPECT_FALSE(twice.may_be_once());
}

TEST(CopyWays, BothAreTriedInTheBeginning) {
  CopyWays ways(CopyWays::Ways::measured);
  EXPECT_EQ(count_once(ways, CopyWays::kFirstOnce), CopyWays::kFirstOnce);
  settle(ways, Step::once, 1);
  EXPECT_EQ(count_once(ways, CopyWays::kFirstTwice), 0u);  // nothing is heard of these
  EXPECT_EQ(count_once(ways, CopyWays::kFirstTwice), CopyWays::kFirstTwice);
}

TEST(CopyWays, TheSecondTrialEndsOnceSomethingIsKnown) {
  CopyWays ways(CopyWays::Ways::measured);
  count_once(ways, CopyWays::kFirstOnce + 1);
  settle(ways, Step::once, 1);
  settle(ways, Step::put, 3);
  EXPECT_TRUE(ways.next_is_once(kAny));
}

// Whatever was measured in the beginning is measured again before long, and later now and then.
TEST(CopyWays, TurnsGrow) {
  CopyWays ways(CopyWays::Ways::measured);
  settle(ways, Step::once, 1), settle(ways, Step::put, 3), settle(ways, Step::take, 3);
  EXPECT_EQ(count_once(ways, CopyWays::kLeastTurn), CopyWays::kLeastTurn);
  for (unsigned turn = CopyWays::kLeastTurn; turn < 4 * CopyWays::kTurn; turn += std::min(turn, CopyWays::kTurn))
    EXPECT_EQ(count_once(ways, std::min(turn, CopyWays::kTurn)), std::min(turn, CopyWays::kTurn) - CopyWays::kOthers)
        << turn;
}

// Of long vectors two say what twenty short ones do.
TEST(CopyWays, LongVectorsGoTheOtherWayForSoManyBytesOnly) {
  for (const auto& [other, step] : {std::pair{false, Step::put}, std::pair{true, Step::once}}) {
    CopyWays ways(CopyWays::Ways::measured);
    settle(behind_its_beginning(ways), Step::put, 1), settle(ways, Step::take, 1);
    settle(ways, Step::once, other ? 3 : 1);
    for (unsigned turn = 0; turn < 2; ++turn) {
      for (unsigned i = 0; i < 2; ++i) {
        EXPECT_EQ(ways.next_is_once(kAny), other) << turn;
        ways.note(step, other ? 3 : 1, CopyWays::kOtherBytes / 2);
      }
      EXPECT_EQ(count_once(ways, CopyWays::kTurn - 2), other ? 0 : CopyWays::kTurn - 2) << turn;
    }
  }
}

// Copies take 1 each where there are two, and the only one takes `once`.
CopyWays& with_costs(CopyWays& ways, double once) {
  settle(behind_its_beginning(ways), Step::put, 1), settle(ways, Step::take, 1), settle(ways, Step::once, once);
  count_once(ways, CopyWays::kOthers);
  return ways;
}

// Where ranks outnumber cores who waits for room waits for others' turns: that is none of the copies, and counts as much as they do.
TEST(CopyWays, WaitsForRoomCountAmongManyRanks) {
  for (const double once : {1.0, 1.02, 1.9, 2.1, 2.9, 3.1, 3.9, 4.1}) {
    CopyWays few(CopyWays::Ways::measured), many(CopyWays::Ways::measured, true);
    with_costs(few, once), with_costs(many, once);
    EXPECT_EQ(few.next_is_once({1000, 0}), once < 2);
    EXPECT_EQ(many.next_is_once({1000, 0}), once < 4);
    EXPECT_EQ(many.next_is_once({1000, 500}), once < 3);        // half of it waits
    EXPECT_EQ(many.next_is_once({1000, 0, 100}), once < 1.01);  // who puts for all waits once
    EXPECT_EQ(few.next_part_is_once({1000, 1000}), once < 2);
    EXPECT_TRUE(many.next_part_is_once({1000, 1000}));  // whatever the copies take
  }
}

// And who is copied from waits for the one who copies, which who has put all of it does not.
TEST(CopyWays, WhatThereIsRoomForRatherGoesTwiceAmongManyRanks) {
  const double limit = 2 * CopyWays::kFits;
  for (const double once : {0.9 * limit, 1.1 * limit}) {
    CopyWays few(CopyWays::Ways::measured), many(CopyWays::Ways::measured, true);
    with_costs(few, once), with_costs(many, once);
    EXPECT_TRUE(few.next_is_once({1000, 1000}));
    EXPECT_EQ(many.next_is_once({1000, 1000}), once < limit);
    EXPECT_EQ(many.next_part_is_once({1000, 1001}), once < limit);
    EXPECT_EQ(many.next_is_once({1000, 1000, 2}), once < 1.5);
  }
}

TEST(CopyWays, TheFasterOneIsTakenAndTheOtherTriedAgain) {
  for (const double once : {1.9, 2.1}) {
    CopyWays ways(CopyWays::Ways::measured);
    settle(behind_its_beginning(ways), Step::put, 1);
    settle(ways, Step::take, 1);
    settle(ways, Step::once, once);
    const unsigned others = CopyWays::kOthers;
    EXPECT_EQ(count_once(ways, CopyWays::kTurn), once < 2 ? CopyWays::kTurn - others : others);
  }
}

// Among many ranks interruptions come in crowds, so it takes more of them to be believed.
TEST(CopyWays, FewInterruptionsChangeNothing) {
  for (const bool crowded : {false, true}) {
    CopyWays ways(CopyWays::Ways::measured, crowded);
    with_costs(ways, 1.5);
    const CopyWays::Vector vector{1000, 500};
    unsigned slow = 0;
    for (; ways.next_is_once(vector); ++slow) ways.note(Step::once, 1000);
    EXPECT_EQ(slow, crowded ? 9u : 2u);
    ways.note(Step::once, 1.5);
    EXPECT_TRUE(ways.next_is_once(vector));
  }
}

// What is put once for several is cheaper for each of them.
TEST(CopyWays, TakersShareWhatIsPut) {
  CopyWays ways(CopyWays::Ways::measured);
  settle(behind_its_beginning(ways), Step::put, 3);
  settle(ways, Step::take, 1);
  settle(ways, Step::once, 2.2);
  count_once(ways, CopyWays::kOthers);
  EXPECT_TRUE(ways.next_is_once(kAny));
  EXPECT_TRUE(ways.next_is_once({.takers = 2}));
  EXPECT_FALSE(ways.next_is_once({.takers = 3}));
}

// Who only gives never learns what one copy costs those that make it.
TEST(CopyWays, WhoOnlyGivesHasOthersCopy) {
  CopyWays ways(CopyWays::Ways::measured);
  settle(behind_its_beginning(ways), Step::put, 1);
  EXPECT_EQ(count_once(ways, CopyWays::kTurn), CopyWays::kTurn - CopyWays::kOthers);
}

// Who only takes does not know what it costs others to put, and knows no better than that it is as much.
TEST(CopyWays, HalfOfTwiceIsTakenForTheOtherHalf) {
  for (const Step known : {Step::put, Step::take}) {
    CopyWays ways(CopyWays::Ways::measured);
    settle(behind_its_beginning(ways), known, 1);
    settle(ways, Step::once, 1.9);
    count_once(ways, CopyWays::kOthers);
    EXPECT_TRUE(ways.next_is_once(kAny));
    settle(ways, Step::once, 2.1);
    EXPECT_FALSE(ways.next_is_once(kAny));
  }
}

TEST(CopyWays, ShortCopiesSayNothing) {
  CopyWays ways(CopyWays::Ways::measured);
  behind_its_beginning(ways);
  unsigned copies = 0;
  ways.measure(Step::once, CopyWays::kMeasured - 1, [&] { ++copies; });
  count_once(ways, CopyWays::kOthers);
  EXPECT_FALSE(ways.next_is_once(kAny));  // nothing is known of either
  ways.measure(Step::once, CopyWays::kMeasured, [&] { ++copies; });
  EXPECT_TRUE(ways.next_is_once(kAny));
  EXPECT_EQ(copies, 2u);
}

// What is combined where it lies counts as taken, but for the first time, and for functions that give up for now.
TEST(DeskCopies, CombiningIsTaking) {
  CopyWays ways(CopyWays::Ways::measured);
  DeskCopies copies(util::OutwardCopy(), 1);
  settle(behind_its_beginning(ways), Step::once, 1e12);  // slower than anything, once something is known
  count_once(ways, CopyWays::kOthers);
  const auto combine = [&](CopyWays* measured, bool is_done) {
    EXPECT_EQ(copies.combine(8, measured, [=] { return is_done; }), is_done);
  };
  combine(&ways, false);
  combine(nullptr, true);
  combine(&ways, true);
  combine(&ways, false);
  EXPECT_TRUE(ways.next_is_once(kAny));
  combine(&ways, true);
  EXPECT_FALSE(ways.next_is_once(kAny));
}

}  // namespace
}  // namespace polder::coll
