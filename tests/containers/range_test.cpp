#include <polder/containers/adaptors.hpp>
#include <polder/containers/dealt.hpp>
#include <polder/containers/for_each.hpp>
#include <polder/containers/irregular.hpp>
#include <polder/containers/list.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/reduce.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <ranges>

namespace polder::containers {
namespace {

// ---- what the standard sees in them ----

static_assert(std::random_access_iterator<decltype(std::declval<Array<int>&>().begin())>);
static_assert(std::random_access_iterator<decltype(std::declval<const Matrix<double, 2>&>().begin())>);
static_assert(std::ranges::random_access_range<Array<int>> && std::ranges::sized_range<Array<int>>);
static_assert(std::ranges::view<View<Array<int>>> && std::ranges::borrowed_range<View<Array<int>>>);
static_assert(std::ranges::random_access_range<View<Matrix<int, 3, Tiled<3>>>>);
static_assert(std::ranges::random_access_range<List<long>>);
static_assert(DistributedRange<Array<int>> && BoxRange<View<Array<int>>>);
static_assert(BoxRange<std::ranges::take_view<std::ranges::ref_view<Array<int>>>>);
static_assert(!DistributedRange<std::vector<int>>);

// 0, 1, 2, ... over cyclic blocks of 3.
Array<int> counted(const Team& team, std::size_t count) {
  Array<int> a(team, BlockCyclic<1>({count}, {Spread::block_cyclic(3)}, {team.units()}));
  for_each_index(a, [](const auto& index, int& element) { element = int(index[0]); });
  return a;
}

TEST(Ranges, PiecesOfUnitsThatAreNotThere) {
  as_units(2, [](const Team& team) {
    Array<int> a(team, {10}, {.name = "a"});
    EXPECT_EQ(remote(a, 1).size(), 1u);
    EXPECT_TRUE(segments(a, 2, 2).empty());
    EXPECT_NE(text_of_failure([&] { (void)remote(a, 2); }).find("array 'a': pieces at units 2 to before 3 of 2"),
              std::string::npos);
    EXPECT_NE(text_of_failure([&] { (void)remote(a, ~Rank{0}); }), "");
    EXPECT_NE(text_of_failure([&] { (void)segments(a, 1, 0); }), "");
  });
}

TEST(Ranges, BoxesThatReachBeyondAllIndexes) {
  as_units(1, [](const Team& team) {
    Array<int> a(team, {10});
    constexpr std::size_t kMost = ~std::size_t{0};
    EXPECT_EQ(a.all().intersect({{5}, {kMost}}).box(), (IndexBox<1>{{5}, {5}}));
    EXPECT_EQ(a.sub({2}, {6}).intersect({{0}, {kMost}}).box(), (IndexBox<1>{{2}, {6}}));
    EXPECT_EQ(a.sub({2}, {6}).intersect({{kMost}, {kMost}}).size(), 0u);
    EXPECT_EQ(a.sub({2}, {3}).intersect({{5}, {1}}).size(), 0u);
    EXPECT_EQ(a.sub({2}, {3}).intersect({{4}, {9}}).box(), (IndexBox<1>{{4}, {1}}));
  });
}

TEST(Ranges, TheStandardsAlgorithmsReadThem) {
  as_units(3, [](const Team& team) {
    Array<int> a = counted(team, 20);
    EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0), 190);
    EXPECT_EQ(*std::ranges::find_if(a, [](int x) { return x > 11; }), 12);
    EXPECT_EQ(std::ranges::lower_bound(a, 7) - a.begin(), 7);
    int sum = 0;
    for (const int x : a | std::views::drop(15) | std::views::reverse) sum = 10 * sum + x % 10;
    EXPECT_EQ(sum, 98765);
    auto fourth = a.begin() + 4;
    EXPECT_EQ(fourth[3], 7);
    EXPECT_EQ((--fourth).position(), 3u);
    EXPECT_LT(fourth, a.end());
  });
}

TEST(Ranges, AViewsElementsInRowMajorOrder) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2, Shifted<2>> a(team, Shifted<2>({7, 9}, {2, 3}, 4));
    for_each_index(a, [](const auto& index, int& element) { element = int(10 * index[0] + index[1]); });
    const auto box = a.sub({2, 3}, {2, 3});
    std::vector<int> seen;
    for (const int x : box) seen.push_back(x);
    EXPECT_EQ(seen, (std::vector<int>{23, 24, 25, 33, 34, 35}));
    team.barrier();
    if (team.unit() == 1) *(box.begin() + 4) = -1;
    team.barrier();
    EXPECT_EQ(a(3, 4), -1);
    EXPECT_EQ(box.sub({1, 1}, {1, 2}).begin()[0], -1);
    EXPECT_NE(text_of_failure([&] { *box.end() = 1; }), "");
  });
}

// ---- ranges that algorithms go through unit by unit ----

TEST(Adaptors, TakeAndDropOfTheStandards) {
  as_units(3, [](const Team& team) {
    Array<int> a = counted(team, 20);
    EXPECT_EQ(reduce(a | std::views::drop(15), 0), 15 + 16 + 17 + 18 + 19);
    EXPECT_EQ(reduce(a | std::views::take(4), 0), 6);
    EXPECT_EQ(reduce(a.sub({5}, {10}) | std::views::drop(2) | std::views::take(3), 0), 7 + 8 + 9);
    EXPECT_EQ(reduce(a | std::views::take(100), 0), 190);
    EXPECT_EQ(reduce(a | std::views::drop(100), 0), 0);
    EXPECT_EQ(segments(a | std::views::drop(17)).size(), 2u);
    fill(a | std::views::take(2), 50);
    EXPECT_EQ(reduce(a, 0), 289);
    std::vector<int> first(4);
    copy(a | std::views::take(4), first);
    EXPECT_EQ(first, (std::vector<int>{50, 50, 2, 3}));
  });
}

TEST(Adaptors, TransformedAndZipped) {
  as_units(3, [](const Team& team) {
    const Array<int> a = counted(team, 20);
    Array<double> b(team, a.distribution());
    fill(b, 0.5);
    EXPECT_EQ(reduce(transformed(a, [](int x) { return x * x; }), 0), 2470);
    EXPECT_EQ(reduce(transformed(zipped(a, b), [](const auto& pair) { return pair.first * pair.second; }), 0.0), 95.0);
    EXPECT_EQ(reduce(transformed(transformed(a, [](int x) { return x + 1; }), [](int x) { return 2.0 * x; }), 0.0),
              420.0);
    EXPECT_EQ(count_if(zipped(a, b), [](const auto& pair) { return pair.first > 16; }), 3u);
    const auto best = max_element(transformed(a, [](int x) { return -(x - 6) * (x - 6); }));
    EXPECT_EQ(best->index, (Index<1>{6}));
  });
}

TEST(Adaptors, ZippedRangesLieTogether) {
  as_units(2, [](const Team& team) {
    Array<int> a(team, {10}, {.name = "one"}),
        b(team, BlockCyclic<1>({10}, {Spread::cyclic()}, {2}), {.name = "other"});
    const std::string text = text_of_failure([&] { (void)zipped(a, b); });
    EXPECT_NE(text.find("array 'one'"), std::string::npos) << text;
    EXPECT_NE(text.find("array 'other'"), std::string::npos) << text;
    EXPECT_NE(text_of_failure([&] { (void)zipped(a.sub({0}, {5}), a.sub({1}, {5})); }), "");
  });
}

TEST(Adaptors, ZippedRangesAreOfTheSameRanks) {
  as_units(2, [](const Team& team) {
    auto turned = team.runtime().split(team.group(), 0, -std::int64_t(team.unit()), team.timeout());
    ASSERT_TRUE(turned.ok() && (*turned)->commit(team.timeout()).ok());
    Array<int> a(team, {10}), b(Team(team.runtime(), **turned, team.timeout()), {10}, {.name = "turned"});
    const std::string text = text_of_failure([&] { (void)zipped(a, b); });
    EXPECT_NE(text.find("array 'turned'"), std::string::npos) << text;
  });
}

TEST(Adaptors, EveryFewElements) {
  as_units(3, [](const Team& team) {
    Array<int> a = counted(team, 20);
    EXPECT_EQ(reduce(every(a, 7), 0), 0 + 7 + 14);
    EXPECT_EQ(reduce(every(a.sub({1}, {18}), 5), 0), 1 + 6 + 11 + 16);
    EXPECT_EQ(every(a.sub({1}, {18}), 5).size(), 4u);
    fill(every(a | std::views::drop(10), 2), 0);
    EXPECT_EQ(reduce(a, 0), 190 - 10 - 12 - 14 - 16 - 18);
    EXPECT_NE(text_of_failure([&] { (void)every(a, 0); }), "");
  });
}

// ---- a range of somebody else's ----

// The diagonal of a matrix, element by element.
template <class M>
struct Diagonal {
  static constexpr std::size_t kDimensions = 2;
  using value_type = typename M::value_type;
  M* matrix;

  M& container() const { return *matrix; }
  template <class Visit>
  void for_each_run(Rank unit, Visit&& visit) const {
    for (std::size_t i = 0; i < std::min(matrix->extents()[0], matrix->extents()[1]); ++i)
      if (const Index<2> index{i, i}; matrix->distribution().unit_of(index) == unit)
        visit(ElementRun<2>{unit, matrix->distribution().local_index(index), 1, index});
  }
  auto elements(const ElementRun<2>& run) const { return matrix->local().subspan(run.place, run.count); }
};

TEST(Adaptors, ARangeOfTheUsersIsOneOfAlgorithms) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2, Tiled<2>> a(team, Tiled<2>({7, 9}, {Spread{2}, Spread{2}}, {2, 2}));
    for_each_index(Diagonal{&a}, [](const auto& index, int& element) { element = int(index[0]); });
    EXPECT_EQ(reduce(a, 0), 21);
    EXPECT_EQ(reduce(transformed(Diagonal{&a}, [](int x) { return x + 1; }), 0), 28);
    EXPECT_EQ(segments(Diagonal{&a}).size(), 7u);
  });
}

}  // namespace
}  // namespace polder::containers
