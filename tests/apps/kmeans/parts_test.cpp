// What a job is made of, without a job: exact sums, the search, lines of numbers, shares.
#include "centroids.hpp"
#include "cluster_sums.hpp"
#include "csv_line.hpp"
#include "draw.hpp"
#include "nearest.hpp"
#include "recipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace kmeans {
namespace {

std::vector<double> unruly_numbers(std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = std::ldexp(drawn_share(3, i) - 0.5, int(drawn_below(4, i, 40)) - 20);
  return numbers;
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  const std::vector<double> numbers = unruly_numbers(5000);
  const double largest = std::abs(*std::ranges::max_element(numbers, {}, [](double x) { return std::abs(x); }));
  const Units units(largest, numbers.size());
  const auto sum = [&](auto begin, auto end) {
    Parts all;
    for (; begin != end; ++begin) {
      const Parts parts = units.parts(*begin);
      all.high += parts.high, all.low += parts.low;
    }
    return units.number(all);
  };
  const double forward = sum(numbers.begin(), numbers.end());
  EXPECT_EQ(forward, sum(numbers.rbegin(), numbers.rend()));
  const long double exact = std::accumulate(numbers.begin(), numbers.end(), 0.0L);
  EXPECT_NEAR(forward, double(exact), 1e-15 * largest);
}

TEST(ExactSum, TakesNumbersOfAnySize) {
  for (const double largest : {0.0, 1e-200, 1.0, 3.7, 1e300}) {
    const Units units(largest, 1000);
    EXPECT_DOUBLE_EQ(units.number(units.parts(largest)), largest);
    EXPECT_DOUBLE_EQ(units.number(units.parts(-largest)), -largest);
  }
}

TEST(ClusterSums, APointThatLeavesLeavesNothing) {
  const Points points = make_points({.points = 40, .dims = 3, .clouds = 4, .spread = 1, .seed = 9}, {0, 40});
  ClusterSums sums(2, 3, Units(20, 40));
  const std::vector<std::int64_t> nothing(sums.numbers().begin(), sums.numbers().end());
  for (std::size_t i = 0; i < 40; ++i) sums.add(i % 2, points, i);
  EXPECT_EQ(sums.count(0), 20);
  std::vector<double> mean(3);
  sums.mean(1, mean);
  double expected = 0;
  for (std::size_t i = 1; i < 40; i += 2) expected += points.at(i, 2) / 20;
  EXPECT_NEAR(mean[2], expected, 1e-14);
  for (std::size_t i = 40; i-- > 0;) sums.take(i % 2, points, i);
  EXPECT_TRUE(std::ranges::equal(sums.numbers(), nothing));
}

// Sizes at which the last tile and the last centroids are not full, and where centroids do not fit one block.
TEST(Nearest, IsWhatPlainLoopsFind) {
  struct Case {
    std::uint64_t size, dims, clusters;
  };
  for (const auto& [size, dims, clusters] : {Case{1, 1, 1}, {17, 3, 5}, {100, 10, 33}, {50, 300, 200}}) {
    const Points points = make_points({.points = size, .dims = dims}, {0, size});
    const Points others = make_points({.points = clusters, .dims = dims, .seed = 5}, {0, clusters});
    Centroids centroids(clusters, dims);
    for (std::size_t c = 0; c < centroids.size(); ++c) others.copy(c, centroids[c]);
    Nearest nearest(points);
    find_nearest(points, centroids, nearest);
    const std::vector<double> half = half_squares(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> squares(centroids.size());
      for (std::size_t c = 0; c < centroids.size(); ++c)
        for (std::size_t dim = 0; dim < points.dims(); ++dim)
          squares[c] += std::pow(points.at(i, dim) - centroids[c][dim], 2);
      const double least = *std::ranges::min_element(squares);
      ASSERT_LT(std::size_t(nearest.label[i]), centroids.size());
      EXPECT_NEAR(squares[std::size_t(nearest.label[i])], least, 1e-9 * (1 + least)) << size << " " << i;
      EXPECT_NEAR(2 * (nearest.score[i] + half[i]), least, 1e-9 * (1 + least));
    }
  }
}

TEST(Nearest, OfEqualOnesIsTheLowest) {
  Points points(3, 2);
  Centroids centroids(9, 2);
  Nearest nearest(points);
  find_nearest(points, centroids, nearest);
  EXPECT_EQ(nearest.label[0], 0);
}

TEST(CsvLine, HasNumbersWithSomethingBetween) {
  std::vector<double> numbers;
  std::size_t wrong = 0;
  for (const char* line : {"1,2.5,-3e2", "1 2.5 -3e2", "1;2.5;-3e2\r", "  1\t2.5 ,\t-3e2 "}) {
    EXPECT_TRUE(parse_numbers(line, numbers, wrong)) << line;
    EXPECT_EQ(numbers, (std::vector<double>{1, 2.5, -300})) << line;
  }
  EXPECT_TRUE(parse_numbers("", numbers, wrong));
  EXPECT_TRUE(numbers.empty());
}

TEST(CsvLine, NamesTheFieldThatIsNone) {
  std::vector<double> numbers;
  std::size_t wrong = 0;
  for (const auto& [line, field] : {std::pair{"1,x,3", 2U}, {"1,,3", 2U}, {"1,2,", 3U}, {"1x,2", 1U}, {",1", 1U}}) {
    EXPECT_FALSE(parse_numbers(line, numbers, wrong)) << line;
    EXPECT_EQ(wrong, field) << line;
  }
}

TEST(Share, AllRowsAreSomebodys) {
  for (const std::uint64_t all : {0UL, 1UL, 10UL, 1000003UL})
    for (const unsigned ranks : {1U, 3U, 7U}) {
      std::uint64_t next = 0;
      for (unsigned rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(share_of(all, rank, ranks).first, next);
        next += share_of(all, rank, ranks).size;
      }
      EXPECT_EQ(next, all);
    }
}

TEST(Recipe, MakesTheSamePointsForAnyShare) {
  const Recipe recipe{.points = 100, .dims = 5};
  const Points all = make_points(recipe, {0, 100}), some = make_points(recipe, {37, 21});
  for (std::size_t i = 0; i < 21; ++i)
    for (std::size_t dim = 0; dim < 5; ++dim) EXPECT_EQ(some.at(i, dim), all.at(37 + i, dim));
}

}  // namespace
}  // namespace kmeans
