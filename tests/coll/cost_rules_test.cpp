// What the table chooses makes sense, by cost in virtual time: an allreduce is never slower than a reduce and a broadcast,
// costs grow smoothly with size, and one member more or less changes little. Libraries have lost factors of ten by such
// choices (Open MPI at 127 members against 128, for one).
#include "coll/model/prediction.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace polder::coll {
namespace {

constexpr LogGP kNetwork{.latency = 1.5, .overhead = 0.3, .gap = 0.1, .per_byte = 8e-5, .combining = 2e-5};
const std::vector<Rank> kMembers = {2, 3, 5, 8, 9, 16, 31, 64, 127, 128, 129, 500};
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

constexpr Kind kKinds[] = {Kind::broadcast, Kind::reduce, Kind::allreduce};
constexpr std::size_t kLeast = 8, kMost = std::size_t{4} << 20;

TEST(CostRules, AnAllreduceIsNeverSlowerThanAReduceAndABroadcast) {
  for (const Rank members : kMembers)
    for (std::size_t bytes = kLeast; bytes <= kMost; bytes *= 4)
      EXPECT_LE(cost(Kind::allreduce, members, bytes),
                1.001 * (cost(Kind::reduce, members, bytes) + cost(Kind::broadcast, members, bytes)))
          << named(Kind::allreduce, members, bytes);
}

// Twice the bytes cost no less, and no more than twice as much, but for a fifth.
TEST(CostRules, CostsGrowSmoothlyWithSize) {
  for (const Kind kind : kKinds)
    for (const Rank members : kMembers)
      for (std::size_t bytes = kLeast; bytes < kMost; bytes *= 2) {
        const double once = cost(kind, members, bytes), twice = cost(kind, members, 2 * bytes);
        EXPECT_GE(twice, 0.8 * once) << named(kind, members, 2 * bytes);
        EXPECT_LE(twice, 2.4 * once) << named(kind, members, 2 * bytes);
      }
}

// A round more, and two where members are folded into a power of two, of seven.
TEST(CostRules, OneMemberMoreOrLessChangesLittle) {
  for (const Kind kind : kKinds)
    for (std::size_t bytes = kLeast; bytes <= kMost; bytes *= 4) {
      const double even = cost(kind, 128, bytes);
      for (const Rank members : {127, 129}) {
        EXPECT_LE(cost(kind, members, bytes), even * 10 / 7) << named(kind, members, bytes);
        EXPECT_GE(cost(kind, members, bytes), even * 7 / 10) << named(kind, members, bytes);
      }
    }
}

}  // namespace
}  // namespace polder::coll
