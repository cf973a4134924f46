#include <polder/containers/irregular.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/scan.hpp>
#include <polder/containers/sort.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace polder::containers {
namespace {

// The same numbers at every unit.
std::vector<int> drawn(std::size_t count, int limit) {
  std::mt19937 random(7);
  std::vector<int> numbers(count);
  for (int& number : numbers) number = int(random() % unsigned(limit));
  return numbers;
}

TEST(Sort, AgainstTheStandardsSort) {
  for (const auto& [count, limit] : {std::pair{1000, 1 << 20}, {1000, 3}, {3, 10}, {0, 1}})
    as_units(4, [count = count, limit = limit](const Team& team) {
      std::vector<int> expected = drawn(std::size_t(count), limit);
      Array<int> a(team, BlockCyclic<1>({expected.size()}, {Spread::block_cyclic(7)}, {4}));
      if (team.unit() == 1) copy(expected, a);
      sort(a);
      EXPECT_TRUE(is_sorted(a));
      std::sort(expected.begin(), expected.end());
      std::vector<int> sorted(expected.size());
      copy(a, sorted);
      EXPECT_EQ(sorted, expected);
    });
}

TEST(Sort, ByComparatorAndProjectionAndInAView) {
  struct Pair {
    int key, number;
  };
  as_units(3, [](const Team& team) {
    const std::vector<std::size_t> sizes = {20, 0, 30};
    Array<Pair, Irregular> a(team, Irregular(sizes));
    for_each_index(a, [](const auto& index, Pair& pair) { pair = {int(index[0] * 17 % 50), int(index[0])}; });
    sort(a, std::greater<>(), &Pair::key);
    EXPECT_EQ(a[0].load().key, 49);
    EXPECT_EQ(a[49].load().key, 0);
    EXPECT_EQ(a[10].load().number * 17 % 50, 39);
    team.barrier();
    sort(a.sub({10}, {5}), std::less<>(), &Pair::key);
    EXPECT_EQ(a[10].load().key, 35);
    EXPECT_EQ(a[9].load().key, 40);
    EXPECT_FALSE(is_sorted(a, [](const Pair& one, const Pair& other) { return one.key < other.key; }));
  });
}

// What each unit would receive of units of these sizes, whose elements are `value(unit, position)`.
template <class Value>
void expect_at_most_twice_the_share(const std::vector<std::size_t>& sizes, Value value) {
  as_units(Rank(sizes.size()), [&](const Team& team) {
    std::vector<int> mine;
    for (std::size_t i = 0; i < sizes[team.unit()]; ++i) mine.push_back(value(team.unit(), i));
    std::sort(mine.begin(), mine.end());
    std::less<> less;
    std::vector<std::size_t> ends;
    const auto splitters = choose_splitters(team, mine, less);
    const std::size_t here = exchange_by(team, mine, splitters, less, ends).size();
    std::size_t all = 0;
    for (const std::size_t of_unit : team.gather(here, "what came")) all += of_unit;
    EXPECT_EQ(all, std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    EXPECT_LE(here * team.units(), 2 * all) << "unit " << team.unit();
  });
}

TEST(Sort, NoUnitReceivesMoreThanTwiceItsShareOfUnevenUnits) {
  const auto apart = [](Rank unit, std::size_t position) { return int(1000 * unit + position); };
  expect_at_most_twice_the_share({1000, 4, 4, 4}, apart);
  expect_at_most_twice_the_share({4, 4, 4, 1000}, apart);
  expect_at_most_twice_the_share({0, 500, 0, 700}, apart);
  expect_at_most_twice_the_share({1000, 4, 4, 4}, [](Rank, std::size_t) { return 7; });
  expect_at_most_twice_the_share({100, 200, 300, 50},
                                 [](Rank unit, std::size_t position) { return int(position * 31 % 17 + unit % 2); });
}

TEST(Scan, InclusiveAndExclusive) {
  as_units(3, [](const Team& team) {
    Array<long> a(team, BlockCyclic<1>({23}, {Spread::block_cyclic(2)}, {3}));
    for_each_index(a, [](const auto& index, long& element) { element = long(index[0]); });
    inclusive_scan(a, 100L);
    EXPECT_EQ(a[22], 100 + 22 * 23 / 2);
    EXPECT_EQ(a[5], 115);
    team.barrier();
    fill(a, 2L);
    exclusive_scan(a, 1L, std::multiplies<>());
    EXPECT_EQ(a[0], 1);
    EXPECT_EQ(a[10], 1024);
  });
}

TEST(Scan, HistogramAndElementsByIndex) {
  as_units(3, [](const Team& team) {
    Matrix<int, 2> a(team, {6, 7}, {.name = "grid"});
    for_each_index(a, [](const auto& index, int& element) { element = int(index[0] * 7 + index[1]); });
    const auto counts = histogram(a, 4, [](int x) { return x / 10; });
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{10, 10, 10, 10}));
    const std::vector<Index<2>> indexes = {{5, 6}, {0, 0}, {3, 1}, {3, 1}};
    std::vector<int> values(4);
    gather(a, indexes, values);
    EXPECT_EQ(values, (std::vector<int>{41, 0, 22, 22}));
    team.barrier();
    const std::vector<Index<2>> own = {{team.unit(), 3}, {team.unit() + 3, 3}};
    scatter(std::vector<int>{-1, -2}, a, own);
    team.barrier();
    EXPECT_EQ(a(2, 3), -1);
    EXPECT_EQ(a(3, 3), -2);
    EXPECT_EQ(reduce(a.sub({0, 3}, {6, 1}), 0), -9);
    const std::vector<Index<2>> outside = {{0, 0}, {0, 7}};
    const std::string text = text_of_failure([&] { gather(a, outside, std::span(values).first(2)); });
    EXPECT_NE(text.find("array 'grid': index (0, 7), number 1 of a list"), std::string::npos) << text;
  });
}

}  // namespace
}  // namespace polder::containers
