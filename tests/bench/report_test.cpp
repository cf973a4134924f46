#include "common/report.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Report, IsOneJsonObject) {
  const bench::Measurement measurement{.name = "put", .ranks = 2, .size = 8, .threads = 4, .samples = {1.5, 2.0}};
  EXPECT_EQ(bench::to_json(measurement),
            R"({"name": "put", "ranks": 2, "size": 8, "threads": 4, "ns": [1.500, 2.000]})");
}

TEST(Report, HasAnEmptyListWithoutSamples) {
  EXPECT_EQ(bench::to_json({.name = "x"}), R"({"name": "x", "ranks": 1, "size": 0, "threads": 1, "ns": []})");
}

TEST(Report, KeepsWholeNumbersOfAnySize) {
  EXPECT_EQ(bench::to_json({.name = "x", .size = std::size_t{1} << 40, .samples = {12345678901.25}}),
            R"({"name": "x", "ranks": 1, "size": 1099511627776, "threads": 1, "ns": [12345678901.250]})");
}

}  // namespace
