#include <polder/containers/dealt.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/npy.hpp>
#include <polder/containers/shared.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <new>
#include <string>

namespace polder::containers {
namespace {

// A file name of this process, removed at the end.
struct NpyPath {
  std::string path = ::testing::TempDir() + "polder-containers-" + std::to_string(getpid()) + ".npy";
  ~NpyPath() { std::remove(path.c_str()); }
};

TEST(Npy, LoadedByAnotherNumberOfRanksInAnotherDistribution) {
  const NpyPath file;
  as_units(4, [&](const Team& team) {
    Matrix<float, 2, Shifted<2>> a(team, Shifted<2>({7, 9}, {2, 3}, 4));
    for_each_index(a, [](const auto& index, float& element) { element = float(index[0]) + float(index[1]) / 16; });
    save_npy(a, file.path);
  });
  as_units(3, [&](const Team& team) {
    Matrix<float, 2> a(team, npy_extents<2>(file.path));
    load_npy(file.path, a);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 9; ++j) ASSERT_EQ(a(i, j), float(i) + float(j) / 16);
  });
}

TEST(Npy, HeaderIsWhatNumPyReads) {
  const std::string header = npy_header<double>(Index<1>{12});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (12, ), } ");
  EXPECT_NE((npy_header<std::uint8_t>(Index<2>{3, 4})).find("'|u1', 'fortran_order': False, 'shape': (3, 4), }"),
            std::string::npos);
}

// Else what was saved last is gone when one of those that are to save it anew is.
TEST(Npy, AFileIsReplacedWhenAllHaveCome) {
  const NpyPath file;
  const auto bytes = [&] {
    std::ifstream in(file.path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  Simulation simulation(2, {.device = SimulatedDevice::network});
  const Status status = simulation.run([&](Runtime& rt) {
    const Team team(rt, rt.world(), 60s);
    Array<int> a(team, {10});
    fill(a, 3);
    save_npy(a, file.path);
    if (rt.rank() == 1) return simulation.kill(1);
    const std::string saved = bytes();
    EXPECT_NE(text_of_failure([&] { save_npy(a, file.path); }).find("failed: rank 1"), std::string::npos);
    EXPECT_EQ(bytes(), saved);
    EXPECT_EQ(saved.size() % 64, 40u);
  });
  ASSERT_TRUE(status.ok()) << status.to_string();
}

TEST(Npy, RefusesOtherExtentsElementsAndFiles) {
  const NpyPath file;
  as_units(2, [&](const Team& team) {
    Array<int> a(team, {10}, {.name = "v"});
    save_npy(a, file.path);
    Array<int> longer(team, {11}, {.name = "w"});
    const std::string text = text_of_failure([&] { load_npy(file.path, longer); });
    EXPECT_NE(text.find("has extents (10), array 'w' (11)"), std::string::npos) << text;
    Array<float> other(team, {10});
    EXPECT_NE(text_of_failure([&] { load_npy(file.path, other); }).find("does not hold <f4"), std::string::npos);
    const std::string missing = text_of_failure([&] { save_npy(a, "/nowhere/a.npy"); });
    EXPECT_NE(missing.find(team.unit() == 0 ? "'/nowhere/a.npy' cannot be opened" : "failed at rank 0"),
              std::string::npos)
        << missing;
    EXPECT_NE(text_of_failure([&] { npy_extents<2>(file.path); }).find("has 1 dimensions, not 2"), std::string::npos);
    team.barrier();
    if (team.unit() == 1) {
      EXPECT_EQ(truncate(file.path.c_str(), 128 + 39), 0);
    }
    team.barrier();
    EXPECT_NE(text_of_failure([&] { load_npy(file.path, a); }), "");
  });
}

TEST(SharedFile, WhateverAUnitThrowsIsToldToAll) {
  as_units(3, [](const Team& team) {
    bool mine = false;
    std::string others;
    try {
      others = text_of_failure([&] {
        together(team, "some work", [&] {
          if (team.unit() == 1) throw std::bad_alloc();
        });
      });
    } catch (const std::bad_alloc&) {
      mine = true;
    }
    EXPECT_EQ(mine, team.unit() == 1);
    EXPECT_EQ(others, team.unit() == 1 ? "" : "system error: some work: it failed at rank 1");
    EXPECT_EQ(team.gather(int(team.unit()), "afterwards"), (std::vector<int>{0, 1, 2}));
  });
}

TEST(Shared, OneValueForAll) {
  as_units(3, [](const Team& team) {
    Shared<double> value(team, 1);
    if (team.unit() == 2) value.element() = 3.5;
    Shared<Atomic<int>> counter(team);
    counter.element().fetch_add(2);
    team.barrier();
    EXPECT_EQ(value.element(), 3.5);
    EXPECT_EQ(counter.element().load(), 6);
    EXPECT_NE(text_of_failure([&] { Shared<int>(team, 3); }).find("its owner is unit 3, the team has 3"),
              std::string::npos);
    const std::string text = text_of_failure([&] { Shared<int>(team, team.unit() == 1 ? 2 : 0); });
    EXPECT_NE(text.find("rank 1 wants it at unit 2, rank 0 at 0"), std::string::npos) << text;
  });
}

TEST(Coarray, ElementsOfEachUnit) {
  as_units(3, [](const Team& team) {
    Coarray<int> x(team, 4);
    x((team.unit() + 1) % 3, 2) = int(team.unit());
    x.sync_all();
    EXPECT_EQ(x.local()[2], int((team.unit() + 2) % 3));
    EXPECT_NE(text_of_failure([&] { x(1, 4); }).find("no element 4 of unit 1"), std::string::npos);
    const std::string text = text_of_failure([&] { Coarray<int>(team, team.unit() == 1 ? 2 : 3); });
    EXPECT_NE(text.find("rank 1 wants 2 elements, rank 0 3"), std::string::npos) << text;
    const std::string wraps = text_of_failure([&] { Coarray<int>(team, std::size_t{1} << 62); });
    EXPECT_NE(wraps.find("out of memory: memory of a coarray"), std::string::npos) << wraps;
  });
}

}  // namespace
}  // namespace polder::containers
