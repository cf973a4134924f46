// Where members are: cores by what a kernel says, nodes by what the environment says.
#include "topology/cores.hpp"
#include "topology/network_place.hpp"

#include <polder/simulate.hpp>
#include <polder/topology.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace polder::test {
namespace {

using namespace std::chrono_literals;

// A kernel's folder of two sockets, each a NUMA node with two cores of two threads, numbered as Linux does: second threads last.
class MadeKernel {
 public:
  MadeKernel() {
    for (int thread = 0; thread < 8; ++thread) {
      const int core = thread % 4, socket = core / 2;
      write(thread, "topology/physical_package_id", std::to_string(socket));
      write(thread, "topology/core_id", std::to_string(core % 2));
      write(thread, "cache/index0/level", "1");
      write(thread, "cache/index0/shared_cpu_list", std::to_string(core) + "," + std::to_string(core + 4));
      write(thread, "cache/index1/level", "3");
      write(thread, "cache/index1/shared_cpu_list", socket == 0 ? "0-1,4-5" : "2-3,6-7");
      std::filesystem::create_directory(of(thread) / ("node" + std::to_string(socket)));
    }
  }
  ~MadeKernel() { std::filesystem::remove_all(folder_); }

  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path of(int thread) const { return folder_ / ("cpu" + std::to_string(thread)); }
  void write(int thread, const std::string& name, const std::string& text) {
    const auto path = of(thread) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "polder-kernel-" + std::to_string(getpid());
};

TEST(Cores, AreWhereTheKernelSays) {
  const MadeKernel kernel;
  const auto place = topology::core_place(7, kernel.folder());
  EXPECT_EQ(place.socket, 1u);
  EXPECT_EQ(place.numa, 1u);
  EXPECT_EQ(place.cache, 2u);
  EXPECT_EQ(place.core, 1u);
  EXPECT_EQ(place.thread, 7u);
  const auto unknown = topology::core_place(9, kernel.folder());
  EXPECT_EQ(unknown.socket, 0u);
  EXPECT_EQ(unknown.cache, 0u);
}

TEST(Cores, AreBoundCoreByCoreFirst) {
  const MadeKernel kernel;
  std::vector<topology::CorePlace> places;
  for (std::uint32_t thread = 0; thread < 8; ++thread) places.push_back(topology::core_place(thread, kernel.folder()));
  std::vector<std::uint32_t> order;
  for (const auto& place : topology::binding_order(places)) order.push_back(place.thread);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Cores, OfThisMachine) {
  const auto machine = here_topology(5);
  ASSERT_TRUE(machine.ok()) << machine.status().to_string();
  EXPECT_EQ(machine->units(), 5u);
  for (Rank unit = 1; unit < 5; ++unit) EXPECT_LT(machine->distance(0, unit), 1);
  EXPECT_EQ(here_topology(0).status().code(), Code::invalid_argument);
}

TEST(NetworkPlace, NamesFromTheOutsideIn) {
  const auto one = topology::read_network_place("row1.rack7", "");
  const auto other = topology::read_network_place("row1.rack8", "");
  const auto elsewhere = topology::read_network_place("row2.rack7", "");
  ASSERT_TRUE(one.ok() && other.ok() && elsewhere.ok());
  EXPECT_EQ(one->depth, 2u);
  EXPECT_EQ(one->branch[0], other->branch[0]);
  EXPECT_NE(one->branch[1], other->branch[1]);
  EXPECT_NE(one->branch[1], elsewhere->branch[1]) << "rack 7 of another row";
  EXPECT_EQ(topology::read_network_place("", "")->depth, 0u);
}

TEST(NetworkPlace, OfSlurmTheNodesOwnNameIsLeftOut) {
  const auto slurm = topology::read_network_place("", "row1.rack7.node17");
  ASSERT_TRUE(slurm.ok());
  EXPECT_EQ(slurm->branch, topology::read_network_place("row1.rack7", "")->branch);
  EXPECT_EQ(topology::read_network_place("", "node17")->depth, 0u);
  EXPECT_EQ(topology::read_network_place("a", "b.c.d")->depth, 1u);
}

TEST(NetworkPlace, WhatIsNoneIsRefused) {
  for (const char* place : {".", "a..b", ".a", "a.", "a.b.c.d.e.f.g.h.i"})
    EXPECT_EQ(topology::read_network_place(place, "").status().code(), Code::invalid_argument) << place;
}

// All ranks of a simulation have one environment, so one place.
TEST(NetworkPlace, IsGathered) {
  ASSERT_EQ(setenv("POLDER_PLACE", "row1.rack7", 1), 0);
  SimulationOptions options;
  options.ranks_per_node = 1;
  options.deterministic = true;
  Simulation simulation(2, options);
  const Status status = simulation.run([](Runtime& rt) {
    const auto topology = gather_topology(rt, rt.world(), 10s);
    ASSERT_TRUE(topology.ok()) << topology.status().to_string();
    EXPECT_EQ(topology->spec().network_levels, 3u);
    EXPECT_EQ(topology->parting(0, 1), 2u);
    EXPECT_EQ(topology->distance(0, 1), 2);
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
  ASSERT_EQ(setenv("POLDER_PLACE", "row1..rack7", 1), 0);
  Simulation again(2, options);
  const Status refused = again.run([](Runtime& rt) {
    const auto topology = gather_topology(rt, rt.world(), 10s);
    EXPECT_EQ(topology.status().code(), Code::invalid_argument);
    EXPECT_NE(topology.status().to_string().find("member 0 has a place"), std::string::npos);
  });
  EXPECT_TRUE(refused.ok()) << refused.to_string();
  unsetenv("POLDER_PLACE");
}

}  // namespace
}  // namespace polder::test
