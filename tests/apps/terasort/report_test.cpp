#include "report.hpp"

#include "thread_team.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace terasort {
namespace {

SortReport example() {
  SortReport report;
  report.program = "polder";
  report.input = "in \"quoted\"";
  report.records = 10'000'000;
  report.ranks = 4;
  report.phases[std::size_t(Phase::shuffle)] = {0.25, 0.375, 0.5};
  return report;
}

TEST(Report, RateIsThatOfTheSlowestRank) {
  EXPECT_DOUBLE_EQ(example().rate(Phase::shuffle), 2.0);
  EXPECT_DOUBLE_EQ(example().rate(Phase::sort), 0.0);
}

TEST(Report, JsonCanBeReadBack) {
  const auto json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json["input"], "in \"quoted\"");
  EXPECT_EQ(json["bytes"], 1'000'000'000u);
  EXPECT_EQ(json["phases"]["shuffle"]["median_s"], 0.375);
  EXPECT_EQ(json["phases"]["shuffle"]["gb_per_s"], 2.0);
  EXPECT_EQ(json["phases"].size(), kPhases);
}

TEST(Report, TableHasALineForEachPhase) {
  const std::string table = to_table(example());
  for (const char* phase : kPhaseNames) EXPECT_NE(table.find(std::string("\n") + phase), std::string::npos) << table;
  EXPECT_NE(table.find("10000000 records (1.00 GB) on 4 ranks"), std::string::npos) << table;
}

TEST(Report, CollectsTheImbalanceOfAllRanks) {
  run_ranks(4, [](Team& team) {
    SortReport report;
    ASSERT_TRUE(collect(team, PhaseTimes(), team.rank() == 1 ? 250 : 50, report).ok());
    EXPECT_DOUBLE_EQ(report.imbalance, 1.5);
  });
}

}  // namespace
}  // namespace terasort
