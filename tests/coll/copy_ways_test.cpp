#include "coll/port/copy_ways.hpp"
#include "coll/port/desk_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace polder::coll {
namespace {

using Step = CopyWays::Step;

void note_twice(CopyWays& ways, Step step, double ticks) {
  ways.note(step, ticks);
  ways.note(step, ticks);
}

// How many of the next `count` vectors are copied once.
unsigned count_once(CopyWays& ways, unsigned count) {
  unsigned once = 0;
  for (unsigned i = 0; i < count; ++i) once += ways.next_is_once() ? 1 : 0;
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
    note_twice(*ways, Step::put, 1), note_twice(*ways, Step::take, 1);
    note_twice(*ways, Step::once, ways == &once ? 100 : 0.1);
  }
  EXPECT_EQ(count_once(once, 2 * CopyWays::kTurn), 2 * CopyWays::kTurn);
  EXPECT_EQ(count_once(twice, 2 * CopyWays::kTurn), 0u);
  EXPECT_TRUE(once.may_be_once());
  EXPECT_FALSE(twice.may_be_once());
}

TEST(CopyWays, BothAreTriedInTheBeginning) {
  CopyWays ways(CopyWays::Ways::measured);
  EXPECT_EQ(count_once(ways, CopyWays::kFirstOnce), CopyWays::kFirstOnce);
  note_twice(ways, Step::once, 1);
  EXPECT_EQ(count_once(ways, CopyWays::kFirstTwice), 0u);  // nothing is heard of these
  EXPECT_EQ(count_once(ways, CopyWays::kFirstTwice), CopyWays::kFirstTwice);
}

TEST(CopyWays, TheSecondTrialEndsOnceSomethingIsKnown) {
  CopyWays ways(CopyWays::Ways::measured);
  count_once(ways, CopyWays::kFirstOnce + 1);
  note_twice(ways, Step::once, 1);
  note_twice(ways, Step::put, 3);
  EXPECT_TRUE(ways.next_is_once());
}

// Whatever was measured in the beginning is measured again before long, and later now and then.
TEST(CopyWays, TurnsGrow) {
  CopyWays ways(CopyWays::Ways::measured);
  note_twice(ways, Step::once, 1), note_twice(ways, Step::put, 3), note_twice(ways, Step::take, 3);
  EXPECT_EQ(count_once(ways, CopyWays::kLeastTurn), CopyWays::kLeastTurn);
  for (unsigned turn = CopyWays::kLeastTurn; turn < 4 * CopyWays::kTurn; turn += std::min(turn, CopyWays::kTurn))
    EXPECT_EQ(count_once(ways, std::min(turn, CopyWays::kTurn)), std::min(turn, CopyWays::kTurn) - CopyWays::kOthers)
        << turn;
}

// Of long vectors two say what twenty short ones do.
TEST(CopyWays, LongVectorsGoTheOtherWayForSoManyBytesOnly) {
  for (const auto& [other, step] : {std::pair{false, Step::put}, std::pair{true, Step::once}}) {
    CopyWays ways(CopyWays::Ways::measured);
    note_twice(behind_its_beginning(ways), Step::put, 1), note_twice(ways, Step::take, 1);
    note_twice(ways, Step::once, other ? 3 : 1);
    for (unsigned turn = 0; turn < 2; ++turn) {
      for (unsigned i = 0; i < 2; ++i) {
        EXPECT_EQ(ways.next_is_once(), other) << turn;
        ways.note(step, other ? 3 : 1, CopyWays::kOtherBytes / 2);
      }
      EXPECT_EQ(count_once(ways, CopyWays::kTurn - 2), other ? 0 : CopyWays::kTurn - 2) << turn;
    }
  }
}

// Where ranks outnumber cores who waits for room waits for others' turns: that is none of the copies, and counts as much as they do.
TEST(CopyWays, WaitsCountAmongManyRanks) {
  for (const double once : {1.0, 1.02, 1.9, 2.1, 3.9, 4.1}) {
    CopyWays few(CopyWays::Ways::measured), many(CopyWays::Ways::measured, true);
    for (CopyWays* const ways : {&few, &many}) {
      note_twice(behind_its_beginning(*ways), Step::put, 1), note_twice(*ways, Step::take, 1);
      note_twice(*ways, Step::once, once);
      count_once(*ways, CopyWays::kOthers);
    }
    EXPECT_EQ(few.next_is_once(), once < 2);
    EXPECT_EQ(many.next_is_once(), once < 4);
    EXPECT_EQ(many.next_is_once(100), once < 1.01);  // who puts for all waits once
    EXPECT_EQ(few.next_part_is_once(), once < 2);
    EXPECT_TRUE(many.next_part_is_once());  // whatever the copies take
  }
}

TEST(CopyWays, TheFasterOneIsTakenAndTheOtherTriedAgain) {
  for (const double once : {1.9, 2.1}) {
    CopyWays ways(CopyWays::Ways::measured);
    note_twice(behind_its_beginning(ways), Step::put, 1);
    note_twice(ways, Step::take, 1);
    note_twice(ways, Step::once, once);
    const unsigned others = CopyWays::kOthers;
    EXPECT_EQ(count_once(ways, CopyWays::kTurn), once < 2 ? CopyWays::kTurn - others : others);
  }
}

TEST(CopyWays, OneInterruptionChangesNothing) {
  CopyWays ways(CopyWays::Ways::measured);
  note_twice(behind_its_beginning(ways), Step::put, 1);
  note_twice(ways, Step::take, 1);
  note_twice(ways, Step::once, 1.5);
  ways.note(Step::once, 1000);
  count_once(ways, CopyWays::kOthers);
  EXPECT_TRUE(ways.next_is_once());
  ways.note(Step::once, 1000);
  EXPECT_FALSE(ways.next_is_once());
}

// What is put once for several is cheaper for each of them.
TEST(CopyWays, TakersShareWhatIsPut) {
  CopyWays ways(CopyWays::Ways::measured);
  note_twice(behind_its_beginning(ways), Step::put, 3);
  note_twice(ways, Step::take, 1);
  note_twice(ways, Step::once, 2.2);
  count_once(ways, CopyWays::kOthers);
  EXPECT_TRUE(ways.next_is_once());
  EXPECT_TRUE(ways.next_is_once(2));
  EXPECT_FALSE(ways.next_is_once(3));
}

// Who only gives never learns what one copy costs those that make it.
TEST(CopyWays, WhoOnlyGivesHasOthersCopy) {
  CopyWays ways(CopyWays::Ways::measured);
  note_twice(behind_its_beginning(ways), Step::put, 1);
  EXPECT_EQ(count_once(ways, CopyWays::kTurn), CopyWays::kTurn - CopyWays::kOthers);
}

// Who only takes does not know what it costs others to put, and knows no better than that it is as much.
TEST(CopyWays, HalfOfTwiceIsTakenForTheOtherHalf) {
  for (const Step known : {Step::put, Step::take}) {
    CopyWays ways(CopyWays::Ways::measured);
    note_twice(behind_its_beginning(ways), known, 1);
    note_twice(ways, Step::once, 1.9);
    count_once(ways, CopyWays::kOthers);
    EXPECT_TRUE(ways.next_is_once());
    note_twice(ways, Step::once, 2.1);
    EXPECT_FALSE(ways.next_is_once());
  }
}

TEST(CopyWays, ShortCopiesSayNothing) {
  CopyWays ways(CopyWays::Ways::measured);
  behind_its_beginning(ways);
  unsigned copies = 0;
  ways.measure(Step::once, CopyWays::kMeasured - 1, [&] { ++copies; });
  count_once(ways, CopyWays::kOthers);
  EXPECT_FALSE(ways.next_is_once());  // nothing is known of either
  ways.measure(Step::once, CopyWays::kMeasured, [&] { ++copies; });
  EXPECT_TRUE(ways.next_is_once());
  EXPECT_EQ(copies, 2u);
}

// What is combined where it lies counts as taken, but for the first time, and for functions that give up for now.
TEST(DeskCopies, CombiningIsTaking) {
  CopyWays ways(CopyWays::Ways::measured);
  DeskCopies copies(util::OutwardCopy(), 1);
  note_twice(behind_its_beginning(ways), Step::once, 1e12);  // slower than anything, once something is known
  count_once(ways, CopyWays::kOthers);
  const auto combine = [&](CopyWays* measured, bool is_done) {
    EXPECT_EQ(copies.combine(8, measured, [=] { return is_done; }), is_done);
  };
  combine(&ways, false);
  combine(nullptr, true);
  combine(&ways, true);
  combine(&ways, false);
  EXPECT_TRUE(ways.next_is_once());
  combine(&ways, true);
  EXPECT_FALSE(ways.next_is_once());
}

}  // namespace
}  // namespace polder::coll
