// Rows that `polder tune` makes of what it has measured do what they say when a table reads them.
#include "coll/table/table.hpp"
#include "tune/rows.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace polder::tune {
namespace {

using coll::Algorithm;

constexpr coll::Kind kKind = coll::Kind::allreduce;
constexpr Rank kRanks = 16;

Algorithm built_in(std::size_t bytes) {
  return coll::Table().choose({kKind, bytes, kRanks});
}

Best served(std::size_t bytes, Algorithm algorithm) {
  const bool chosen = algorithm == built_in(bytes);
  return {bytes, algorithm, chosen, chosen ? "" : "faster"};
}

TEST(TuneRows, EachSizeIsServedByItsBest) {
  const std::vector<std::vector<Best>> cases = {
      {served(8, Algorithm::ring), served(4096, built_in(4096)), served(1 << 20, Algorithm::doubling)},
      {served(8, built_in(8)), served(4096, Algorithm::ring), served(1 << 20, built_in(1 << 20))},
      {served(8, Algorithm::ring), served(4096, Algorithm::ring), served(1 << 20, Algorithm::ring)},
      {served(8, Algorithm::circulant), served(4096, Algorithm::ring), served(1 << 20, Algorithm::slices)},
  };
  for (const std::vector<Best>& all : cases) {
    coll::Table table;
    const std::string rows = rows_of(kKind, kRanks, all);
    ASSERT_TRUE(table.read(rows).ok()) << rows;
    for (const Best& best : all)
      EXPECT_EQ(to_string(table.choose({kKind, best.bytes, kRanks})), to_string(best.algorithm))
          << best.bytes << " bytes by\n"
          << rows;
    // Larger groups were not measured.
    for (const Best& best : all)
      EXPECT_EQ(table.choose({kKind, best.bytes, 40}), coll::Table().choose({kKind, best.bytes, 40}));
  }
}

TEST(TuneRows, WhatTheTableTakesAnywayNeedsNoRow) {
  EXPECT_EQ(rows_of(kKind, kRanks, {served(8, built_in(8)), served(4096, built_in(4096))}), "");
}

TEST(TuneRows, SizesInBetweenGoWithTheNearerOne) {
  coll::Table table;
  ASSERT_TRUE(
      table.read(rows_of(kKind, kRanks, {served(1024, Algorithm::ring), served(1 << 20, built_in(1 << 20))})).ok());
  EXPECT_EQ(table.choose({kKind, 16 << 10, kRanks}), Algorithm::ring);
  EXPECT_NE(table.choose({kKind, 64 << 10, kRanks}), Algorithm::ring);
}

// Bruck's alltoall moves each block several times: a little ahead at 64 kB, far behind at 4 MB.
TEST(TuneRows, SizesInBetweenGoWithTheFasterOne) {
  const Best short_ones{64 << 10, Algorithm::ring, false, "faster", {{Algorithm::ring, 90}, {Algorithm::slices, 100}}};
  const Best long_ones{
      4 << 20, Algorithm::slices, false, "faster", {{Algorithm::ring, 40'000}, {Algorithm::slices, 8'000}}};
  coll::Table table;
  ASSERT_TRUE(table.read(rows_of(kKind, kRanks, {short_ones, long_ones})).ok());
  EXPECT_EQ(table.choose({kKind, 64 << 10, kRanks}), Algorithm::ring);
  EXPECT_EQ(table.choose({kKind, 256 << 10, kRanks}), Algorithm::slices);
  EXPECT_EQ(table.choose({kKind, 4 << 20, kRanks}), Algorithm::slices);
}

TEST(TuneRows, ARowEndsBeforeTheNextSizeThatWasMeasured) {
  const Best one{8, Algorithm::ring, false, "faster", {{Algorithm::ring, 1}, {Algorithm::slices, 100}}};
  const Best next{256, Algorithm::slices, false, "faster", {{Algorithm::ring, 10.1}, {Algorithm::slices, 10}}};
  coll::Table table;
  ASSERT_TRUE(table.read(rows_of(kKind, kRanks, {one, next})).ok());
  EXPECT_EQ(table.choose({kKind, 128, kRanks}), Algorithm::ring);
  EXPECT_EQ(table.choose({kKind, 256, kRanks}), Algorithm::slices);
}

TEST(TuneRows, ALittleFasterIsNoReason) {
  const std::vector<Timing> close = {{Algorithm::ring, 9.5, false}, {Algorithm::doubling, 10, true}};
  EXPECT_EQ(best_of(8, close).algorithm, Algorithm::doubling);
  const std::vector<Timing> far = {{Algorithm::ring, 5, false}, {Algorithm::doubling, 10, true}};
  EXPECT_EQ(best_of(8, far).algorithm, Algorithm::ring);
  EXPECT_NE(best_of(8, far).remark.find("doubling 10.00"), std::string::npos);
}

TEST(TuneRows, LongVectorsAreMeasuredWhereThereIsTimeForACallInEachTurn) {
  const std::vector<Timing> smaller = {{Algorithm::ring, 1000, false}, {Algorithm::doubling, 3000, true}};
  constexpr double kCalls_s = (1 + Measurement::kTurns) * 8 * 4000e-6;
  EXPECT_TRUE(is_affordable(smaller, 8, kCalls_s));
  EXPECT_TRUE(is_affordable(smaller, 8, 0.6 * kCalls_s));  // a little longer does no harm
  EXPECT_FALSE(is_affordable(smaller, 8, 0.4 * kCalls_s));
  EXPECT_FALSE(is_affordable(smaller, 16, 0.6 * kCalls_s));
}

}  // namespace
}  // namespace polder::tune
