#include <polder/containers/adaptors.hpp>
#include <polder/containers/dealt.hpp>
#include <polder/containers/list.hpp>
#include <polder/containers/local_shape.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/threads.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <span>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace polder::containers {
namespace {

TEST(ByThreads, TheSameAsWithout) {
  as_units(2, [](const Team& team) {
    Array<long> a(team, BlockCyclic<1>({20'000}, {Spread::block_cyclic(700)}, {2})), b(team, a.distribution());
    for_each_index(Threads{3}, a, [](const auto& index, long& element) { element = long(index[0] * index[0] % 1001); });
    for_each_index(b, [](const auto& index, long& element) { element = long(index[0] * index[0] % 1001); });
    EXPECT_TRUE(equal(a, b));
    EXPECT_EQ(reduce(Threads{3}, a, 5L), reduce(b, 5L));
    auto odd = [](long x) { return x % 2 == 1; };
    EXPECT_EQ(count_if(Threads{4}, a, odd), count_if(b, odd));
    EXPECT_EQ(reduce(Threads{2}, transformed(a, [](long x) { return 2 * x; }), 0L), 2 * reduce(b, 0L));
    for_each(Threads{}, a.sub({100}, {15'000}), [](long& x) { x = -x - 1; });
    EXPECT_EQ(count_if(a, [](long x) { return x < 0; }), 15'000u);
    fill(Threads{3}, a, 7);
    EXPECT_EQ(reduce(a, 0L), 140'000);
  });
}

TEST(ByThreads, EachElementIsVisitedOnceAndBySeveral) {
  as_units(1, [](const Team& team) {
    Matrix<int, 2, Tiled<2>> a(team, Tiled<2>({90, 90}, {Spread{20}, Spread{33}}, {1, 1}));
    std::mutex mutex;
    std::set<std::thread::id> threads;
    for_each(Threads{4}, a, [&](int& x) {
      ++x;
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    EXPECT_TRUE(all_of(a, [](int x) { return x == 1; }));
    EXPECT_EQ(threads.size(), 4u);
    for_each_index(Threads{4}, a, [](const auto& index, int& x) { x = int(index[0] * 90 + index[1]); });
    EXPECT_EQ(a(61, 7), 61 * 90 + 7);
  });
}

TEST(ByThreads, WhatAThreadThrowsArrives) {
  as_units(1, [](const Team& team) {
    Array<int> a(team, {10'000});
    a[9'000] = 1;
    EXPECT_THROW(for_each(Threads{3}, a,
                          [](int& x) {
                            if (x == 1) throw std::runtime_error("found");
                          }),
                 std::runtime_error);
  });
}

// What a class of this kind is made from; the standard's own where the library has it.
struct Shaped {
  Shaped(int* data, const Index<2>& extents) : data_(data), extents_(extents) {}
  int& at(std::size_t i, std::size_t j) const { return data_[i * extents_[1] + j]; }
  int* data_;
  Index<2> extents_;
};

struct ShapedLine {
  ShapedLine(int* data, const Index<1>& extents) : elements(data, extents[0]) {}
  std::span<int> elements;
};

TEST(LocalShape, OfAList) {
  as_units(2, [](const Team& team) {
    List<int> list(team);
    for (int k = 0; k <= int(team.unit()); ++k) list.push_back(k);
    list.commit();
    const ShapedLine mine = local_as<ShapedLine>(list);
    EXPECT_EQ(mine.elements.size(), team.unit() + 1u);
    EXPECT_EQ(mine.elements.data(), list.local().data());
  });
}

TEST(LocalShape, IsThatOfTheUnitsElements) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2> a(team, BlockCyclic<2>({7, 9}, {Spread{2}, Spread{3}}, {2, 2}));
    const Shaped mine = local_as<Shaped>(a);
    EXPECT_EQ(volume(mine.extents_), a.local().size());
    for_each_index(a, [](const auto& index, int& x) { x = int(10 * index[0] + index[1]); });
    // Unit 3 owns rows 2, 3, 6 and columns 3, 4, 5.
    if (team.unit() == 3) {
      EXPECT_EQ(mine.at(2, 1), 64);
    }
    Matrix<int, 2, Tiled<2>> tiles(team, Tiled<2>({8, 8}, {Spread{2}, Spread{2}}, {2, 2}), {.name = "tiles"});
    EXPECT_NE(text_of_failure([&] { (void)local_as<Shaped>(tiles); }).find("array 'tiles'"), std::string::npos);
#if defined(__cpp_lib_mdspan)
    const auto standard = local_as<std::mdspan<int, std::dextents<std::size_t, 2>>>(a);
    EXPECT_EQ(standard.extent(0), mine.extents_[0]);
    EXPECT_EQ(standard.data_handle(), mine.data_);
#endif
  });
}

}  // namespace
}  // namespace polder::containers
