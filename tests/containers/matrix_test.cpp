#include <polder/containers/dealt.hpp>
#include <polder/containers/irregular.hpp>
#include <polder/containers/matrix.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <numeric>

namespace polder::containers {
namespace {

TEST(Matrix, ElementsFromAnywhere) {
  as_units(3, [](const Team& team) {
    Matrix<double, 2, Tiled<2>> a(team, Tiled<2>({7, 5}, {Spread{2}, Spread{2}}, {3, 1}), {.name = "a"});
    if (team.unit() == 1)
      for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 5; ++j) a(i, j) = double(10 * i + j);
    team.barrier();
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(a(i, j), double(10 * i + j));
    std::size_t here = 0;
    for (const auto& piece : local(a))
      for (std::size_t k = 0; k < piece.count; ++k, ++here)
        EXPECT_EQ(a.local()[piece.place + k], double(10 * piece.index[0] + piece.index[1] + k));
    EXPECT_EQ(here, a.local().size());
  });
}

TEST(Matrix, IteratorsAndAssignments) {
  as_units(2, [](const Team& team) {
    Array<int> a(team, {9});
    if (team.unit() == 0) {
      int value = 0;
      for (auto element : a) element = value++;
      a[8] = a[2];
      a[1] += 5;
    }
    team.barrier();
    EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0), 0 + 6 + 2 + 3 + 4 + 5 + 6 + 7 + 2);
    auto it = a.begin() + 3;
    EXPECT_EQ(it[4], 7);
    EXPECT_EQ(a.end() - it, 6);
    EXPECT_LT(it, a.end());
    const auto& constant = a;
    EXPECT_EQ(int(constant[8]), 2);
  });
}

TEST(Matrix, SegmentsCoverAView) {
  as_units(3, [](const Team& team) {
    Matrix<int, 2, Shifted<2>> a(team, Shifted<2>({8, 9}, {2, 2}, 3));
    const auto view = a.sub({1, 2}, {5, 6}).sub({1, 0}, {4, 5});
    EXPECT_EQ(view.box(), (IndexBox<2>{{2, 2}, {4, 5}}));
    std::size_t elements = 0;
    for (const auto& piece : segments(view)) {
      EXPECT_TRUE(view.box().contains(piece.index));
      EXPECT_EQ(a.distribution().unit_of(piece.index), piece.unit);
      elements += piece.count;
    }
    EXPECT_EQ(elements, view.size());
    EXPECT_EQ(a.block(1, 0).box().first, (Index<2>{0, 2}));
  });
}

TEST(Matrix, AtomicElements) {
  as_units(4, [](const Team& team) {
    Array<Atomic<std::int64_t>> counters(team, {5});
    for (int i = 0; i < 20; ++i) ++counters[std::size_t(i) % 5];
    Array<Atomic<double>> sums(team, {1});
    sums[0].fetch_add(0.5);
    team.barrier();
    EXPECT_EQ(counters[3].load(), 16);
    EXPECT_EQ(sums[0].load(), 2.0);
    std::int64_t expected = 7;
    EXPECT_FALSE(counters[4].compare_exchange(expected, 1));
    EXPECT_EQ(expected, 16);
  });
}

TEST(Matrix, AtomicElementsOfWhatIsConst) {
  as_units(3, [](const Team& team) {
    Array<Atomic<std::int64_t>> counters(team, {5});
    ++counters[4];
    team.barrier();
    const auto& seen = counters;
    const std::int64_t count = seen[4];
    EXPECT_EQ(count, 3);
    EXPECT_EQ(*std::ranges::max_element(seen, {}, [](const auto& element) { return std::int64_t(element); }), 3);
    static_assert(std::same_as<decltype(seen.begin())::value_type, std::int64_t>);
  });
}

TEST(Matrix, AtomicElementsAreAssignedByValue) {
  as_units(2, [](const Team& team) {
    Array<Atomic<std::int64_t>> from(team, {4}), to(team, {4});
    if (team.unit() == 0) {
      for (std::size_t i = 0; i < 4; ++i) from[i] = std::int64_t(i + 1);
      to[0] = from[3];
      std::copy(from.begin() + 1, from.end(), to.begin() + 1);
    }
    team.barrier();
    const std::int64_t expected[] = {4, 2, 3, 4};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(to[i].load(), expected[i]) << i;
    team.barrier();
  });
}

TEST(Matrix, WrongIndexNamesArrayIndexExtentsAndRank) {
  as_units(2, [](const Team& team) {
    Matrix<int, 2> a(team, {4, 6}, {.name = "pressure"});
    const std::string text = text_of_failure([&] { a.at({4, 1}); });
    EXPECT_NE(text.find("array 'pressure': index (4, 1) lies outside, extents (4, 6), at rank " +
                        std::to_string(team.unit())),
              std::string::npos)
        << text;
    EXPECT_NE(text_of_failure([&] { a.sub({1, 1}, {3, 6}); }), "");
    EXPECT_NE(text_of_failure([&] { a.sub({1, 1}, {3, 5}).sub({0, 1}, {1, 5}); }), "");
    EXPECT_NE(text_of_failure([&] { a.block(0, 1); }), "");
  });
}

TEST(Matrix, DisagreementIsNamedAtAll) {
  as_units(3, [](const Team& team) {
    const std::string extents = text_of_failure([&] { Array<int>(team, {team.unit() == 2 ? 8u : 9u}, {.name = "x"}); });
    EXPECT_NE(extents.find("array 'x': rank 2 disagrees with rank 0: extents (8) instead of (9)"), std::string::npos)
        << extents;
    const std::vector<std::size_t> sizes = {2, team.unit() == 1 ? 3u : 4u, team.unit() == 1 ? 4u : 3u};
    const std::string sized = text_of_failure([&] { Array<int, Irregular>(team, Irregular(sizes), {.name = "y"}); });
    EXPECT_NE(sized.find("rank 1 disagrees with rank 0: another distribution"), std::string::npos) << sized;
    EXPECT_NE(text_of_failure([&] { Array<int, Irregular>(team, Irregular(std::vector<std::size_t>{2, 3})); }), "");
    const std::vector<std::size_t> fewer(team.unit() == 1 ? 2 : 3, team.unit() == 1 ? 3 : 2);
    const std::string units = text_of_failure([&] { Array<int, Irregular>(team, Irregular(fewer), {.name = "z"}); });
    EXPECT_NE(units.find("rank 1 disagrees with rank 0: distributed over 2 units instead of 3"), std::string::npos)
        << units;
  });
}

TEST(Matrix, MemoryThatIsNotThere) {
  as_units(2, [](const Team& team) {
    const std::string text = text_of_failure([&] { Array<double>(team, {std::size_t{1} << 57}, {.name = "huge"}); });
    EXPECT_NE(text.find("memory of array 'huge'"), std::string::npos) << text;
    const std::size_t half = std::size_t{1} << 32;
    const std::string wraps = text_of_failure([&] { Array<double>(team, {std::size_t{1} << 61}, {.name = "wraps"}); });
    EXPECT_NE(wraps.find("out of memory: memory of array 'wraps'"), std::string::npos) << wraps;
    const std::string square = text_of_failure([&] { Matrix<char, 2>(team, {half, half}, {.name = "square"}); });
    EXPECT_NE(square.find("out of memory: memory of array 'square'"), std::string::npos) << square;
    EXPECT_EQ((Matrix<int, 2>(team, {~std::size_t{0}, 0}).size()), 0u);
    EXPECT_NE(text_of_failure([&] { Irregular(std::vector<std::size_t>{~std::size_t{0}, 2}); }), "");
  });
}

}  // namespace
}  // namespace polder::containers
