#include <polder/containers/dealt.hpp>
#include <polder/containers/hdf5.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/reduce.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace polder::containers {
namespace {

// A file name of this process, removed at the end.
struct Hdf5Path {
  std::string path = ::testing::TempDir() + "polder-containers-" + std::to_string(getpid()) + ".h5";
  ~Hdf5Path() { std::remove(path.c_str()); }
};

template <class C>
void number(C& container) {
  for_each_index(container, [](const auto& index, auto& element) {
    element = {};
    for (const std::size_t i : index) element = element * 10 + typename C::value_type(i);
  });
}

TEST(Hdf5, LoadedByAnotherNumberOfRanksInAnotherDistribution) {
  const Hdf5Path file;
  as_units(4, [&](const Team& team) {
    Matrix<float, 2, Shifted<2>> a(team, Shifted<2>({7, 9}, {2, 3}, 4));
    number(a);
    save_hdf5(a, file.path, "/states/last/a");
    Array<std::int16_t> b(team, {5});
    number(b);
    save_hdf5(b, file.path, "b");
  });
  as_units(3, [&](const Team& team) {
    Matrix<double, 2> a(team, hdf5_extents<2>(file.path, "/states/last/a"));
    load_hdf5(file.path, a, "/states/last/a");
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 9; ++j) ASSERT_EQ(a(i, j), double(10 * i + j));
    Array<std::int64_t> b(team, hdf5_extents<1>(file.path, "b"));
    load_hdf5(file.path, b, "b");
    EXPECT_EQ(reduce(b, std::int64_t{0}), 10);
  });
}

TEST(Hdf5, AGroupIsNotReplaced) {
  const Hdf5Path file;
  as_units(2, [&](const Team& team) {
    Array<int> a(team, {10}), b(team, {5});
    fill(a, 4);
    save_hdf5(a, file.path, "/state/a");
    const std::string text = text_of_failure([&] { save_hdf5(b, file.path, "/state"); });
    EXPECT_NE(text.find(team.unit() == 0 ? "something else has that name" : "it failed at rank 0"), std::string::npos)
        << text;
    EXPECT_NE(text_of_failure([&] { save_hdf5(b, file.path, "/"); }), "");
    fill(a, 0);
    load_hdf5(file.path, a, "/state/a");
    EXPECT_EQ(reduce(a, 0), 40);
  });
}

TEST(Hdf5, ALinkToNowhereIsReplaced) {
  const Hdf5Path file;
  const hid_t made = H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Lcreate_soft("/gone", made, "soft", H5P_DEFAULT, H5P_DEFAULT), 0);
  EXPECT_GE(H5Lcreate_external("gone.h5", "/a", made, "external", H5P_DEFAULT, H5P_DEFAULT), 0);
  EXPECT_GE(H5Fclose(made), 0);
  as_units(2, [&](const Team& team) {
    Array<int> a(team, {10}), b(team, {10});
    fill(a, 4);
    for (const char* name : {"soft", "external"}) {
      save_hdf5(a, file.path, name);
      load_hdf5(file.path, b, name);
      EXPECT_EQ(reduce(b, 0), 40);
    }
  });
}

TEST(Hdf5, ADatasetIsReplacedAndMayBeEmpty) {
  const Hdf5Path file;
  as_units(2, [&](const Team& team) {
    Array<int> a(team, {10}), longer(team, {20}), none(team, {0});
    save_hdf5(a, file.path);
    fill(longer, 3);
    save_hdf5(longer, file.path);
    EXPECT_EQ(hdf5_extents<1>(file.path, "data"), (Index<1>{20}));
    load_hdf5(file.path, longer);
    EXPECT_EQ(reduce(longer, 0), 60);
    save_hdf5(none, file.path, "none");
    load_hdf5(file.path, none, "none");
  });
}

TEST(Hdf5, WhatTheLibraryWroteInChunks) {
  const Hdf5Path file;
  {
    const hid_t out = H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t sizes[2] = {6, 8}, chunk[2] = {4, 3};
    const hid_t space = H5Screate_simple(2, sizes, nullptr), layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 2, chunk);
    const hid_t set = H5Dcreate2(out, "c", H5T_STD_I32BE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    int values[48];
    for (int i = 0; i < 48; ++i) values[i] = i;
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
    H5Fclose(out);
  }
  as_units(3, [&](const Team& team) {
    Matrix<float, 2> a(team, {6, 8});
    load_hdf5(file.path, a, "c");
    EXPECT_EQ(a(5, 6), 46.0f);
    EXPECT_EQ(reduce(a, 0.0f), 47.0f * 48 / 2);
  });
}

TEST(Hdf5, WhatDoesNotFitIsNamed) {
  const Hdf5Path file;
  as_units(2, [&](const Team& team) {
    Array<int> a(team, {10}, {.name = "v"}), longer(team, {11}, {.name = "w"});
    save_hdf5(a, file.path);
    const std::string text = text_of_failure([&] { load_hdf5(file.path, longer); });
    EXPECT_NE(text.find("dataset 'data' of file '"), std::string::npos) << text;
    EXPECT_NE(text.find("has extents (10), array 'w' (11)"), std::string::npos) << text;
    EXPECT_NE(text_of_failure([&] { load_hdf5(file.path, a, "other"); }).find("dataset 'other'"), std::string::npos);
    EXPECT_NE(text_of_failure([&] { (void)hdf5_extents<2>(file.path, "data"); }).find("has 1 dimensions, not 2"),
              std::string::npos);
    const std::string missing = text_of_failure([&] { save_hdf5(a, "/nowhere/a.h5"); });
    EXPECT_NE(missing.find(team.unit() == 0 ? "file '/nowhere/a.h5' cannot be made" : "failed at rank 0"),
              std::string::npos)
        << missing;
    EXPECT_NE(text_of_failure([&] { load_hdf5("/nowhere/a.h5", a); }).find("/nowhere/a.h5"), std::string::npos);
    team.barrier();
    if (team.unit() == 0) {
      EXPECT_EQ(truncate(file.path.c_str(), 100), 0);
    }
    team.barrier();
    EXPECT_NE(text_of_failure([&] { load_hdf5(file.path, a); }), "");
  });
}

}  // namespace
}  // namespace polder::containers
