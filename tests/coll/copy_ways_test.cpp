#include "coll/port/copy_ways.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(count_once(ways, CopyWays::kFirst), CopyWays::kFirst - CopyWays::kFirstTwice);
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

}  // namespace
}  // namespace polder::coll
