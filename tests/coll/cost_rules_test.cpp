// What the table chooses makes sense, by cost in virtual time, of every kind: an allreduce is never slower than a reduce
// and a broadcast, costs grow smoothly with size and members, and one member more or less changes little. Libraries have lost factors of ten by such
// choices (Open MPI at 127 members against 128, for one).
#include "coll/model/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace polder::coll {
namespace {

constexpr LogGP kNetwork{.latency = 1.5, .overhead = 0.3, .gap = 0.1, .per_byte = 8e-5, .combining = 2e-5};
const std::vector<Rank> kMembers = {2, 3, 4, 5, 6, 8, 9, 12, 13, 16, 31, 64, 127, 128, 129, 500};
// Of what the table chooses for members of as many nodes, us.
double cost(Kind kind, Rank members, std::size_t bytes) {
  const ModelCall call{kind, members, bytes};
  const auto outcome = predict(call, Table().choose(choice_of(call)), {.network = kNetwork});
  EXPECT_TRUE(outcome.ok()) << outcome.status().to_string();
  return outcome.ok() ? outcome->time : 0;
}

std::string named(Kind kind, Rank members, std::size_t bytes) {
  return std::string(to_string(kind)) + " of " + std::to_string(bytes) + " bytes, " + std::to_string(members) +
         " members";
}

constexpr std::size_t kLeast = 8, kMost = std::size_t{4} << 20;

// All that the table has rows for, but the barrier, which has no size. Bytes: see ModelCall.
std::vector<Kind> kinds_with_bytes() {
  std::vector<Kind> kinds;
  for (int kind = int(Kind::barrier) + 1; kind <= int(kLastKind); ++kind) kinds.push_back(Kind(kind));
  return kinds;
}
// Blocks for each pair are as many as the square of members.
std::size_t most_bytes(Kind kind) {
  return kind == Kind::alltoall || kind == Kind::neighbours ? std::size_t{64} << 10 : kMost;
}
std::vector<Rank> members_of(Kind kind) {
  std::vector<Rank> members = kMembers;
  if (kind == Kind::alltoall || kind == Kind::neighbours) members.pop_back();
  return members;
}

TEST(CostRules, AreOfEveryKindThatTheTableHas) {
  std::vector<Kind> kinds = kinds_with_bytes();
  kinds.push_back(Kind::barrier);
  const Table table;
  for (const Row& row : table.rows()) EXPECT_NE(std::ranges::find(kinds, row.kind), kinds.end()) << to_string(row);
}

// What others do together, it can do at the same cost: after Traeff, Gropp and Thakur, "Self-consistent MPI performance
// guidelines", 2010.
void expect_no_slower(Kind kind, std::initializer_list<Kind> others, double tolerance = 1.001) {
  for (const Rank members : members_of(kind))
    for (std::size_t bytes = kLeast; bytes <= most_bytes(kind); bytes *= 4) {
      double together = 0;
      for (const Kind other : others) together += cost(other, members, bytes);
      EXPECT_LE(cost(kind, members, bytes), tolerance * together) << named(kind, members, bytes);
    }
}

TEST(CostRules, AnAllreduceIsNeverSlowerThanAReduceAndABroadcast) {
  expect_no_slower(Kind::allreduce, {Kind::reduce, Kind::broadcast});
}
TEST(CostRules, AReduceScatterIsNeverSlowerThanAReduceAndAScatter) {
  expect_no_slower(Kind::reduce_scatter, {Kind::reduce, Kind::scatter});
}
TEST(CostRules, AnAllgatherIsNeverSlowerThanAGatherAndABroadcast) {
  expect_no_slower(Kind::allgather, {Kind::gather, Kind::broadcast});
}

TEST(CostRules, AnAllreduceIsNeverSlowerThanAReduceScatterAndAnAllgather) {
  expect_no_slower(Kind::allreduce, {Kind::reduce_scatter, Kind::allgather});
}
TEST(CostRules, ABroadcastIsNeverSlowerThanAScatterAndAnAllgather) {
  // The pieces of a chain are longer than the model would have them: what each costs the processors it leaves out.
  expect_no_slower(Kind::broadcast, {Kind::scatter, Kind::allgather}, 1.02);
}
TEST(CostRules, WhatOneGetsIsNeverSlowerThanWhatAllGet) {
  // Of two members the one sends all at once, and the other combines it while it comes, which the model leaves out.
  expect_no_slower(Kind::reduce, {Kind::allreduce}, 1.1);
  expect_no_slower(Kind::gather, {Kind::allgather});
  expect_no_slower(Kind::scatter, {Kind::broadcast});
  // Its second vector is combined while letters are on their way; one that is there already finds it at work.
  expect_no_slower(Kind::exscan, {Kind::scan}, 1.02);
}

// Twice the bytes cost no less, and no more than twice as much, but for a fifth.
TEST(CostRules, CostsGrowSmoothlyWithSize) {
  for (const Kind kind : kinds_with_bytes())
    for (const Rank members : members_of(kind))
      for (std::size_t bytes = kLeast; bytes < most_bytes(kind); bytes *= 2) {
        const double once = cost(kind, members, bytes), twice = cost(kind, members, 2 * bytes);
        EXPECT_GE(twice, 0.8 * once) << named(kind, members, 2 * bytes);
        EXPECT_LE(twice, 2.4 * once) << named(kind, members, 2 * bytes);
      }
}

// So do twice the members, from 2 to 4, from 3 to 6, and so on, to a quarter. Not where blocks of an alltoall begin to go
// through others: beyond 32 members there is no slot for each distance.
TEST(CostRules, CostsGrowSmoothlyWithMembers) {
  constexpr Rank kDirect = 32;
  for (const Kind kind : kinds_with_bytes())
    for (const Rank first : {2, 3, 5})
      for (Rank members = first; members <= 128; members *= 2) {
        if (kind == Kind::alltoall && members <= kDirect && 2 * members > kDirect) continue;
        // A scan by two is one letter, and one by four a chain of three.
        const bool is_chain = (kind == Kind::scan || kind == Kind::exscan) && members == 2;
        const double most = is_chain ? 3.3 : 2.5;
        for (std::size_t bytes = kLeast; bytes <= most_bytes(kind); bytes *= 8) {
          const double once = cost(kind, members, bytes), twice = cost(kind, 2 * members, bytes);
          EXPECT_GE(twice, 0.8 * once) << named(kind, 2 * members, bytes);
          EXPECT_LE(twice, most * once) << named(kind, 2 * members, bytes);
        }
      }
}
// There a letter more each way, for each of up to 31 that pass blocks on: 44 us where the direct ways took 18.
TEST(CostRules, BlocksThatGoThroughOthersTakeAFewTimesAsLong) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{32768}})
    EXPECT_LE(cost(Kind::alltoall, 33, bytes), 2.5 * cost(Kind::alltoall, 32, bytes)) << bytes;
}
// Neighbours on a ring have slots for each other in groups of any size.
TEST(CostRules, AnExchangeOnARingCostsTheSameInAnyGroup) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{32768}})
    for (const Rank members : {33, 64, 500})
      EXPECT_NEAR(cost(Kind::neighbours, members, bytes), cost(Kind::neighbours, 32, bytes), 1e-9)
          << named(Kind::neighbours, members, bytes);
}

// A round more, and two where members are folded into a power of two, of seven.
TEST(CostRules, OneMemberMoreOrLessChangesLittle) {
  std::vector<Kind> kinds = kinds_with_bytes();
  kinds.push_back(Kind::barrier);
  for (const Kind kind : kinds)
    for (std::size_t bytes = kLeast; bytes <= most_bytes(kind); bytes *= 4) {
      const double even = cost(kind, 128, bytes);
      for (const Rank members : {127, 129}) {
        EXPECT_LE(cost(kind, members, bytes), even * 10 / 7) << named(kind, members, bytes);
        EXPECT_GE(cost(kind, members, bytes), even * 7 / 10) << named(kind, members, bytes);
      }
    }
}

}  // namespace
}  // namespace polder::coll
