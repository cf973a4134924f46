// Which edges have slots, at one member.
#include "coll/drive/edge_slots.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace polder::coll {
namespace {

using Idle = std::vector<std::pair<Rank, Slot>>;

TEST(EdgeSlots, AreGivenToAsManyEdgesAsThereAre) {
  EdgeSlots slots(100, 2);
  EXPECT_EQ(slots.take(Role::reads, 7), Slot{100});
  EXPECT_EQ(slots.take(Role::reads, 9), Slot{101});
  EXPECT_EQ(slots.take(Role::reads, 7), Slot{100}) << "the one it has";
  EXPECT_EQ(slots.take(Role::reads, 8), std::nullopt);
  EXPECT_EQ(slots.take(Role::writes, 8), Slot{100}) << "another role, another slot";
  EXPECT_EQ(slots.free(Role::reads), 0u);
  EXPECT_EQ(slots.free(Role::writes), 1u);
}

TEST(EdgeSlots, OfAnEdgeThatTheOtherEndNeverHadAreFreeAtOnce) {
  EdgeSlots slots(0, 1);
  ASSERT_EQ(slots.take(Role::reads, 7), Slot{0});
  ASSERT_EQ(slots.take(Role::reads, 7), Slot{0});
  slots.leave(Role::reads, 7);
  EXPECT_EQ(slots.take(Role::reads, 8), std::nullopt);
  slots.leave(Role::reads, 7);
  EXPECT_EQ(slots.take(Role::reads, 8), Slot{0});
  EXPECT_TRUE(slots.idle(Role::reads).empty());
}

TEST(EdgeSlots, OfAnEdgeAreKeptUntilBothEndsGiveThemBack) {
  EdgeSlots slots(0, 1);
  ASSERT_EQ(slots.take(Role::writes, 7), Slot{0});
  slots.settle(Role::writes, 7, 30);
  EXPECT_TRUE(slots.idle(Role::writes).empty());
  slots.leave(Role::writes, 7);
  EXPECT_EQ(slots.other(Role::writes, 7), Slot{30});
  EXPECT_EQ(slots.idle(Role::writes), (Idle{{7, 0}}));
  EXPECT_EQ(slots.take(Role::writes, 8), std::nullopt);
  ASSERT_TRUE(slots.promise_back(Role::writes, 7));
  EXPECT_EQ(slots.take(Role::writes, 7), std::nullopt) << "promised";
  EXPECT_FALSE(slots.promise_back(Role::writes, 7)) << "by one only";
  slots.keep(Role::writes, 7);
  EXPECT_EQ(slots.take(Role::writes, 7), Slot{0});
  EXPECT_FALSE(slots.promise_back(Role::writes, 7)) << "in use";
  slots.leave(Role::writes, 7);
  ASSERT_TRUE(slots.promise_back(Role::writes, 7));
  EXPECT_EQ(slots.give_back(Role::writes, 7), Slot{0});
  EXPECT_EQ(slots.other(Role::writes, 7), std::nullopt);
  EXPECT_EQ(slots.take(Role::writes, 8), Slot{0});
}

TEST(EdgeSlots, OfALeaseGoWithIt) {
  auto slots = std::make_shared<EdgeSlots>(0, 2);
  {
    EdgeLease lease(slots);
    EXPECT_EQ(lease.take(Role::reads, 1), Slot{0});
    EXPECT_EQ(lease.take(Role::reads, 2), Slot{1});
    EXPECT_EQ(lease.take(Role::reads, 3), std::nullopt);
    slots->settle(Role::reads, 1, 5);
  }
  EXPECT_EQ(slots->free(Role::reads), 1u);
  EXPECT_EQ(slots->idle(Role::reads), (Idle{{1, 0}}));
}

}  // namespace
}  // namespace polder::coll
