#include <polder/containers/dealt.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/reduce.hpp>
#include <polder/containers/sort.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace polder::containers {
namespace {

const Tiled<2> kTiles({7, 9}, {Spread{2}, Spread{2}}, {2, 2});
const Shifted<2> kShifted({7, 9}, {2, 3}, 4);

TEST(Copies, LocalAndGlobalBoxes) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2, Tiled<2>> a(team, kTiles);
    for_each_index(a, [](const auto& index, int& element) { element = int(100 * index[0] + index[1]); });
    std::vector<int> box(5 * 6);
    copy(a.sub({1, 2}, {5, 6}), box);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(box[i * 6 + j], int(100 * (i + 1) + j + 2));
    team.barrier();
    for (int& x : box) x = -x;
    if (team.unit() == 2) copy(box, a.sub({1, 2}, {5, 6}));
    team.barrier();
    EXPECT_EQ(a(4, 5), -405);
    EXPECT_EQ(a(6, 5), 605);
    EXPECT_EQ(count_if(a, [](int x) { return x < 0; }), 30u);
    EXPECT_NE(text_of_failure([&] { copy(a.all(), box); }).find("63 elements, the memory 30"), std::string::npos);
  });
}

TEST(Copies, CyclicElementsTravelAsOneList) {
  as_units(3, [](const Team& team) {
    Array<int> a(team, BlockCyclic<1>({5000}, {Spread::cyclic()}, {3}));
    for_each_index(a, [](const auto& index, int& element) { element = int(index[0]); });
    std::vector<int> all(5000);
    auto copying = copy_async(a, all);
    copying.wait();
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(all[std::size_t(i)], i);
  });
}

TEST(Copies, BetweenDistributions) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2, Tiled<2>> a(team, kTiles);
    Matrix<int, 2, Shifted<2>> b(team, kShifted);
    for_each_index(a, [](const auto& index, int& element) { element = int(100 * index[0] + index[1]); });
    copy(a, b);
    EXPECT_TRUE(equal(a, b));
    EXPECT_EQ(b(6, 8), 608);
    copy(a.sub({0, 0}, {3, 3}), b.sub({4, 5}, {3, 3}));
    EXPECT_EQ(mismatch(a, b).value(), (Index<2>{4, 5}));
    EXPECT_EQ(b(6, 7), 202);
    EXPECT_NE(text_of_failure([&] { copy(a.sub({0, 0}, {3, 3}), b.sub({0, 0}, {3, 4})); }), "");
  });
}

// Those of a std::vector are bits, which do not travel.
TEST(Copies, ElementsThatAreBools) {
  as_units(3, [](const Team& team) {
    Matrix<bool, 2> a(team, {4, 6});
    Matrix<bool, 2, Tiled<2>> b(team, Tiled<2>({4, 6}, {Spread{1}, Spread{2}}, {3, 1}));
    for_each_index(a, [](const auto& index, bool& element) { element = index[0] == index[1]; });
    copy(a, b);
    EXPECT_TRUE(equal(a, b));
    transform(a, b, [](bool element) { return !element; });
    EXPECT_EQ(count(b, true), 20u);
    Array<bool> c(team, BlockCyclic<1>({9}, {Spread::cyclic()}, {3}));
    for_each_index(c, [](const auto& index, bool& element) { element = index[0] > 4; });
    team.barrier();
    EXPECT_TRUE(is_sorted(c));
  });
}

TEST(Algorithms, ValuesOfAll) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2, Shifted<2>> a(team, kShifted);
    fill(a, 1);
    EXPECT_EQ(reduce(a, 0), 63);
    for_each_index(a, [](const auto& index, int& element) { element = int(index[0] * 9 + index[1]) - 20; });
    EXPECT_EQ(reduce(a.sub({0, 0}, {1, 3}), 0), -20 - 19 - 18);
    EXPECT_EQ(transform_reduce(a, 5L, std::plus<>(), [](int x) { return long(x) * 2; }),
              5L + 2 * (62 * 63 / 2 - 20 * 63));
    EXPECT_EQ(max_element(a)->index, (Index<2>{6, 8}));
    EXPECT_EQ(min_element(a)->value, -20);
    EXPECT_EQ(find(a, 7)->index, (Index<2>{3, 0}));
    EXPECT_FALSE(find(a, 1000));
    EXPECT_FALSE(max_element(a.sub({0, 0}, {0, 3})));
    EXPECT_EQ(find_if(a, [](int x) { return x > 0; })->index, (Index<2>{2, 3}));
    EXPECT_EQ(count(a, 3), 1u);
    EXPECT_TRUE(any_of(a, [](int x) { return x == 42; }));
    EXPECT_TRUE(all_of(a, [](int x) { return x >= -20; }));
    EXPECT_TRUE(none_of(a, [](int x) { return x > 42; }));
  });
}

TEST(Algorithms, TransformAcrossDistributions) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2, Shifted<2>> a(team, kShifted);
    Matrix<double, 2, Tiled<2>> b(team, kTiles);
    int next = 0;
    generate(a, [&] { return ++next; });
    EXPECT_GT(reduce(a, 0), 63);
    for_each_index(a, [](const auto& index, int& element) { element = int(index[1]); });
    for_each(a, [](int& element) { element += 1; });
    transform(a, b, [](int x) { return x / 2.0; });
    EXPECT_EQ(b(3, 4), 2.5);
    transform(b, b, [](double x) { return -x; });
    EXPECT_EQ(reduce(b, 0.0), -7 * 45 / 2.0);
  });
}

// What a function keeps it keeps from one row to the next: a generator of random numbers, for one, made none twice.
TEST(Algorithms, AFunctionIsOneForAllElementsOfAUnit) {
  as_units(2, [](const Team& team) {
    Matrix<int, 2> a(team, {4, 6});
    Matrix<int, 2, Tiled<2>> b(team, Tiled<2>({4, 6}, {Spread{1}, Spread{2}}, {2, 1}));
    generate(a, [next = 0]() mutable { return ++next; });
    std::vector<int> own(a.local().begin(), a.local().end());
    std::ranges::sort(own);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(own[std::size_t(i)], i + 1);
    transform(a, b, [calls = 0](int) mutable { return ++calls; });
    std::vector<int> made(b.local().begin(), b.local().end());
    std::ranges::sort(made);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(made[std::size_t(i)], i + 1);
  });
}

TEST(Algorithms, ManyUnitsWithNothing) {
  as_units(5, [](const Team& team) {
    Array<int> a(team, {2});
    fill(a, 4);
    EXPECT_EQ(reduce(a, 1), 9);
    EXPECT_EQ(max_element(a)->index[0], 0u);
  });
}

TEST(Algorithms, ADeathIsNamedAtEachSurvivor) {
  Simulation simulation(4, {.device = SimulatedDevice::network});
  std::array<std::string, 4> texts;
  std::array<std::vector<Rank>, 4> failed;
  const Status status = simulation.run([&](Runtime& rt) {
    try {
      Team team(rt, rt.world(), 60s);
      Array<int> a(team, {100}, {.name = "v"});
      fill(a, 1);
      for (int round = 0;; ++round) {
        if (rt.rank() == 2 && round == 3) simulation.kill(2);
        reduce(a, 0);
      }
    } catch (const Failure& failure) {
      texts[rt.rank()] = failure.what();
      failed[rt.rank()] = failure.failed();
    }
  });
  ASSERT_TRUE(status.ok()) << status.to_string();
  for (const Rank rank : {0, 1, 3}) {
    EXPECT_EQ(failed[rank], std::vector<Rank>{2}) << texts[rank];
    EXPECT_NE(texts[rank].find("reduce of array 'v' at rank " + std::to_string(rank)), std::string::npos)
        << texts[rank];
    EXPECT_NE(texts[rank].find("failed: rank 2"), std::string::npos) << texts[rank];
  }
}

}  // namespace
}  // namespace polder::containers
