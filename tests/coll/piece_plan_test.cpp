// Plans of pieces: every piece reaches everybody, everybody is in every piece, once and in order; and which plan is chosen.
#include "coll/eventual/piece_plan.hpp"

#include "coll/eventual/plan_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace polder::coll::test {
namespace {

constexpr EventualWay kWays[] = {EventualWay::binomial, EventualWay::slices};

// Those of slices also for all.
template <class Check>
void for_plans(const Check& check) {
  for (const EventualWay way : kWays)
    for (const Rank members : {3, 4, 5, 8, 11, 32, 33})
      for (const Rank taking_part : std::set<Rank>{3, members / 2, members - 1, members})
        for (const Rank root : std::set<Rank>{0, 1, members / 2, members - 1})
          for (const unsigned rounds : {1u, 3u})
            if (taking_part > 2) {
              const PiecePlan plan(way, root, members, taking_part, 1000, rounds);
              check(plan, root);
              if (way == EventualWay::slices) check(plan.for_all(), root);
            }
}

std::vector<Rank> participants(const PiecePlan& plan) {
  std::vector<Rank> all;
  for (Rank i = 0; i < plan.taking_part(); ++i) all.push_back(plan.participant(i));
  return all;
}

TEST(PiecePlan, ParticipantsAreThoseFromTheRootOnInAscendingOrder) {
  for_plans([](const PiecePlan& plan, Rank root) {
    const auto all = participants(plan);
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_EQ(std::set<Rank>(all.begin(), all.end()).size(), plan.taking_part());
    EXPECT_TRUE(std::ranges::count(all, root));
    for (const Rank each : all) EXPECT_TRUE(plan.takes_part(each));
  });
  const PiecePlan around(EventualWay::slices, 6, 8, 4, 10, 1);
  EXPECT_EQ(participants(around), (std::vector<Rank>{0, 1, 6, 7}));
  EXPECT_FALSE(around.takes_part(2));
}

TEST(PiecePlan, PiecesAreTheVector) {
  for (const std::size_t elements : {0, 1, 5, 1000, 1001}) {
    const PiecePlan plan(EventualWay::slices, 0, 5, 5, elements, 8);
    ASSERT_EQ(plan.pieces(), 32U);
    EXPECT_EQ(plan.begin(0), 0U);
    EXPECT_EQ(plan.begin(plan.pieces()), elements);
    for (std::uint32_t piece = 0; piece < plan.pieces(); ++piece) {
      const std::size_t size = plan.begin(piece + 1) - plan.begin(piece);
      EXPECT_TRUE(size == elements / 32 || size == elements / 32 + 1);
    }
  }
}

// Along its sources each piece comes from the root, and those that it is shown to are those that read it.
TEST(PiecePlan, ABroadcastReachesAll) {
  for_plans([](const PiecePlan& plan, Rank root) {
    for (std::uint32_t piece = 0; piece < plan.pieces(); ++piece)
      for (const Rank member : participants(plan)) {
        if (member == root) continue;
        const Rank source = plan.source(piece, member);
        Rank at = member;
        unsigned hops = 0;
        while (at != root && hops < 10) at = plan.source(piece, at), ++hops;
        EXPECT_LT(hops, plan.way() == EventualWay::slices ? 3U : 7U);
        for (Rank i = 0; i < plan.readers(piece, member); ++i)
          EXPECT_EQ(plan.source(piece, plan.reader(piece, member, i)), member);
        if (source == root) continue;
        bool is_reader = false;
        for (Rank i = 0; i < plan.readers(piece, source); ++i)
          is_reader = is_reader || plan.reader(piece, source, i) == member;
        EXPECT_TRUE(is_reader);
      }
  });
}

TEST(PiecePlan, EachPieceIsReadOnceAndOwnOnesFirst) {
  for_plans([](const PiecePlan& plan, Rank root) {
    for (const Rank member : participants(plan)) {
      if (member == root) continue;
      std::set<std::uint32_t> read;
      bool was_of_root = true;
      for (std::uint32_t i = 0; i < plan.pieces(); ++i) {
        const std::uint32_t piece = plan.read_as(i, member);
        const bool is_of_root = plan.source(piece, member) == root;
        EXPECT_TRUE(was_of_root || !is_of_root);
        was_of_root = is_of_root;
        read.insert(piece);
      }
      EXPECT_EQ(read.size(), plan.pieces());
      EXPECT_EQ(*read.rbegin(), plan.pieces() - 1);
    }
  });
}

// All that is in what `member` has of a piece, in the order in which it is combined.
std::vector<Rank> in_piece(const PiecePlan& plan, std::uint32_t piece, Rank member) {
  std::vector<Rank> all;
  for (Rank i = 0; i < plan.parts(piece, member); ++i) {
    const PiecePlan::Part part = plan.part(piece, member, i);
    const auto its = part.is_combined ? in_piece(plan, piece, part.member) : std::vector<Rank>{part.member};
    all.insert(all.end(), its.begin(), its.end());
  }
  return all;
}

TEST(PiecePlan, AReduceHasEachMemberOnceAndInOrder) {
  for_plans([](const PiecePlan& plan, Rank root) {
    auto expected = participants(plan);
    // Along the tree members are combined from the root on.
    if (plan.way() == EventualWay::binomial)
      std::rotate(expected.begin(), std::ranges::find(expected, root), expected.end());
    ASSERT_EQ(plan.jobs(root), plan.pieces());
    for (std::uint32_t piece = 0; piece < plan.pieces(); ++piece) EXPECT_EQ(in_piece(plan, piece, root), expected);
  });
}

// Whoever is read by another has that one among its receivers, and combines what it is read for.
TEST(PiecePlan, ThoseThatReadAreTold) {
  for_plans([](const PiecePlan& plan, Rank root) {
    for (const Rank member : participants(plan)) {
      std::set<unsigned> rounds;
      for (std::uint32_t i = 0; i < plan.jobs(member); ++i) {
        const std::uint32_t piece = plan.job(member, i);
        EXPECT_TRUE(plan.receivers(piece, member) == 0 || rounds.insert(plan.round(piece)).second);
        for (Rank k = 0; k < plan.parts(piece, member); ++k) {
          const PiecePlan::Part part = plan.part(piece, member, k);
          if (part.member == member) continue;
          if (part.is_combined) {
            bool is_shown = false;
            for (Rank j = 0; j < plan.receivers(piece, part.member); ++j)
              is_shown = is_shown || plan.receiver(part.member, j) == member;
            EXPECT_TRUE(is_shown);
            bool combines = false;
            for (std::uint32_t j = 0; j < plan.jobs(part.member); ++j)
              combines = combines || plan.job(part.member, j) == piece;
            EXPECT_TRUE(combines);
            continue;
          }
          bool is_told = member == root;  // by all
          for (Rank j = 0; j < plan.shown_to(part.member); ++j)
            is_told = is_told || plan.shown_to(part.member, j) == member;
          EXPECT_TRUE(is_told);
        }
      }
    }
  });
}

// The root hears of all anyway, and what is told twice is written over while it is read.
TEST(PiecePlan, TheRootIsNotAmongThoseThatAreToldBesides) {
  for_plans([](const PiecePlan& plan, Rank root) {
    for (const Rank member : participants(plan))
      for (Rank j = 0; j < plan.shown_to(member); ++j) EXPECT_NE(plan.shown_to(member, j), root);
  });
}

TEST(PiecePlan, OfAnAllreduceAllPutAllPiecesTogether) {
  for (const Rank members : {3, 4, 9, 32})
    for (const unsigned rounds : {1u, 4u}) {
      const PiecePlan plan = PiecePlan(EventualWay::slices, 0, members, members, 1000, rounds).for_all();
      for (Rank member = 0; member < members; ++member) {
        std::set<std::uint32_t> all;
        for (std::uint32_t i = 0; i < plan.jobs(member); ++i) {
          EXPECT_EQ(in_piece(plan, plan.job(member, i), member), participants(plan));
          all.insert(plan.job(member, i));
        }
        EXPECT_EQ(all.size(), plan.pieces());
        EXPECT_EQ(*all.rbegin(), plan.pieces() - 1);
        // Its own of the next round comes before those of others of this round.
        if (rounds > 1 && member != 0) {
          EXPECT_EQ(plan.receivers(plan.job(member, 1), member), members - 1);
        }
      }
    }
}

TEST(PiecePlan, OthersHaveNoJobs) {
  const PiecePlan plan(EventualWay::binomial, 2, 8, 4, 10, 1);
  for (const Rank member : {0, 1, 6, 7}) EXPECT_EQ(plan.jobs(member), 0U);
}

// ---- the choice ----

Wish wish_of(Kind kind, std::size_t bytes) {
  Wish wish;
  wish.kind = kind;
  wish.spec = *reduction(Reduction::sum, DataType::float64, bytes / 8);
  return wish;
}

TEST(PlanChoice, WhereMembersAreChosenAsTheyComeItIsFlat) {
  for (const Kind kind : {Kind::broadcast, Kind::reduce}) {
    Wish wish = wish_of(kind, 8'000'000);
    EXPECT_FALSE(choose_plan(wish, EventualWay::fastest, 8).is_flat());
    wish.enough.members = 0.99;  // rounded up to all
    EXPECT_FALSE(choose_plan(wish, EventualWay::fastest, 8).is_flat());
    wish.enough.members = 0.75;
    EXPECT_TRUE(choose_plan(wish, EventualWay::slices, 8).is_flat());
    wish.enough.leave_out = LeaveOut::stages;
    EXPECT_EQ(choose_plan(wish, EventualWay::slices, 8).taking_part(), 8U);
    wish.enough.members = 0.5;
    EXPECT_EQ(choose_plan(wish, EventualWay::slices, 8).taking_part(), 4U);
    EXPECT_FALSE(choose_plan(wish, EventualWay::fastest, 8).is_flat());
    wish.enough.members = 0.25;
    EXPECT_TRUE(choose_plan(wish, EventualWay::slices, 8).is_flat());
    wish.enough = {.choose = Choose::largest};
    EXPECT_TRUE(choose_plan(wish, EventualWay::binomial, 8).is_flat());
  }
  Wish weighed = wish_of(Kind::reduce, 8'000'000);
  weighed.enough.weight = 3;
  EXPECT_TRUE(choose_plan(weighed, EventualWay::slices, 8).is_flat());
  weighed.kind = Kind::allreduce;
  EXPECT_TRUE(choose_plan(weighed, EventualWay::slices, 8).is_flat());
}

TEST(PlanChoice, AnAllreduceGoesInSlicesIfAllAreInIt) {
  Wish wish = wish_of(Kind::allreduce, 8'000'000);
  for (const EventualWay way : {EventualWay::fastest, EventualWay::binomial, EventualWay::slices})
    EXPECT_EQ(choose_plan(wish, way, 8).way(), EventualWay::slices);
  EXPECT_TRUE(choose_plan(wish, EventualWay::flat, 8).is_flat());
  wish.enough.members = 0.5;
  wish.enough.leave_out = LeaveOut::stages;
  EXPECT_TRUE(choose_plan(wish, EventualWay::slices, 8).is_flat());
}

TEST(PlanChoice, ADeadlineOfSomeMembersChangesNothing) {
  Wish wish = wish_of(Kind::reduce, 80'000);
  const EventualWay without = choose_plan(wish, EventualWay::fastest, 32).way();
  wish.enough.deadline = std::chrono::nanoseconds(1);
  EXPECT_EQ(choose_plan(wish, EventualWay::fastest, 32).way(), without);
}

TEST(PlanChoice, WhatDoesNotCommuteIsCombinedInAscendingOrder) {
  Wish wish = wish_of(Kind::reduce, 800);
  ASSERT_EQ(choose_plan(wish, EventualWay::fastest, 32).way(), EventualWay::binomial);
  wish.spec.commutes = false;
  EXPECT_NE(choose_plan(wish, EventualWay::fastest, 32).way(), EventualWay::binomial);
  EXPECT_EQ(choose_plan(wish, EventualWay::binomial, 32).way(), EventualWay::slices);
  wish.kind = Kind::broadcast;
  EXPECT_EQ(choose_plan(wish, EventualWay::binomial, 32).way(), EventualWay::binomial);
}

}  // namespace
}  // namespace polder::coll::test
