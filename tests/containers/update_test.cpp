#include <polder/containers/dealt.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/reduce.hpp>
#include <polder/containers/sort.hpp>
#include <polder/containers/update.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace polder::containers {
namespace {

TEST(Update, SumsWhatAllUnitsBring) {
  as_units(4, [](const Team& team) {
    Matrix<long, 2, Tiled<2>> a(team, Tiled<2>({7, 9}, {Spread{2}, Spread{2}}, {2, 2}));
    std::mt19937 random(team.unit());
    std::vector<Index<2>> indexes(100 * team.unit());  // unit 0 brings none
    std::vector<long> values(indexes.size());
    for (std::size_t k = 0; k < indexes.size(); ++k) {
      indexes[k] = {random() % 7, random() % 9};
      values[k] = long(random() % 1000);
    }
    update(a, indexes, values);
    long mine = 0, expected = 0;
    for (const long value : values) mine += value;
    for (const long sum : team.gather(mine, "sums")) expected += sum;
    EXPECT_EQ(reduce(a, 0L), expected);
    team.barrier();
    // Element by element, on top of what is there: nothing is left.
    for (long& value : values) value = -value;
    update(a, indexes, values);
    EXPECT_TRUE(all_of(a, [](long x) { return x == 0; }));
  });
}

TEST(Update, OwnersApplyThemInTheOrderOfUnitsAndLists) {
  as_units(3, [](const Team& team) {
    Array<std::uint64_t> a(team, {5});
    const std::vector<Index<1>> indexes = {{4}, {0}, {4}};
    const std::vector<std::uint64_t> values = {team.unit() + 1u, 7u, team.unit() + 5u};
    update(a, indexes, values, [](std::uint64_t old, std::uint64_t value) { return 10 * old + value; });
    EXPECT_EQ(a[4], 152637u);
    EXPECT_EQ(a[0], 777u);
  });
}

TEST(Update, SeveralRounds) {
  as_units(2, [](const Team& team) {
    Array<std::uint32_t> a(team, {1000});
    const std::size_t count = team.unit() == 0 ? (std::size_t{1} << 17) + 3 : 10;
    std::vector<Index<1>> indexes(count);
    for (std::size_t k = 0; k < count; ++k) indexes[k] = {k * 7919 % 1000};
    update(a, indexes, std::vector<std::uint32_t>(count, 1));
    EXPECT_EQ(reduce(a, 0u), (1u << 17) + 13);
  });
}

TEST(Update, WrongListsAreNamed) {
  as_units(1, [](const Team& team) {
    Array<int> a(team, {5}, {.name = "table"});
    const std::vector<Index<1>> indexes = {{1}, {5}};
    EXPECT_NE(text_of_failure([&] { update(a, indexes, std::vector<int>(2)); }).find("index (5), number 1 of a list"),
              std::string::npos);
    EXPECT_NE(text_of_failure([&] { update(a, indexes, std::vector<int>(3)); }).find("2 indexes, 3 values"),
              std::string::npos);
  });
}

// One value at nearly all places: no unit gets more than twice its share of what is sorted.
TEST(Sort, AFrequentValueIsSharedOut) {
  as_units(4, [](const Team& team) {
    const std::vector<int> mine(1000, 5);
    auto less = std::less<int>();
    const auto splitters = choose_splitters(team, mine, less);
    std::vector<std::size_t> ends;
    const std::vector<int> here = exchange_by(team, mine, splitters, less, ends);
    EXPECT_LE(here.size(), 2000u);
    EXPECT_GE(here.size(), 500u);
  });
}

}  // namespace
}  // namespace polder::containers
