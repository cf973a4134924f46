// Orders of units: as good as the best of all on small cases, permutations always, better than the launcher's on large ones.
#include <polder/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace polder::test {
namespace {

// Two levels of a tree: nodes of the given numbers of units, two nodes to a switch.
Topology tree_of(const std::vector<Rank>& nodes) {
  TopologySpec spec{{{"switch", 4, 1}, {"node", 2, 1}, {"core", 0.1, 1}}, 2, {}, {}, {}};
  for (Rank node = 0; node < nodes.size(); ++node)
    for (Rank core = 0; core < nodes[node]; ++core)
      spec.coordinates.insert(spec.coordinates.end(), {node / 2, node, core});
  return *Topology::create(std::move(spec));
}

Topology model_of(const std::string& name, Rank nodes, Rank per_node, Rank machine = 0, Rank units = 0) {
  auto topology =
      model_topology({.name = name, .nodes = nodes, .per_node = per_node, .units = units, .machine = machine});
  EXPECT_TRUE(topology.ok()) << topology.status().to_string();
  return *topology;
}

CommunicationPattern grid_of(std::vector<std::uint32_t> extents, bool periodic = false) {
  return *grid_pattern({.extents = std::move(extents), .periodic = periodic});
}

std::vector<Rank> launcher_order(Rank units) {
  std::vector<Rank> order(units);
  std::iota(order.begin(), order.end(), Rank{0});
  return order;
}

double hops(const CommunicationPattern& pattern, const Topology& topology, const std::vector<Rank>& order) {
  const auto cost = mapping_cost(pattern, topology, order);
  EXPECT_TRUE(cost.ok()) << cost.status().to_string();
  return cost.ok() ? cost->hop_bytes : -1;
}

double best_of_all(const CommunicationPattern& pattern, const Topology& topology) {
  std::vector<Rank> order = launcher_order(topology.units());
  double best = hops(pattern, topology, order);
  while (std::next_permutation(order.begin(), order.end())) {
    double sum = 0;
    for (Rank place = 0; place < pattern.places(); ++place)
      for (std::size_t e = pattern.begin[place]; e < pattern.begin[place + 1]; ++e)
        sum += pattern.weight[e] / 2 * topology.distance(order[place], order[pattern.neighbour[e]]);
    best = std::min(best, sum);
  }
  return best;
}

TEST(MapToMachine, IsTheBestOfAllOrdersOnSmallCases) {
  const std::vector<Topology> machines = {tree_of({2, 2, 2, 2}),
                                          tree_of({4, 4}),
                                          tree_of({3, 1, 4}),
                                          tree_of({1, 2, 3, 2}),
                                          model_of("torus:2x2x2", 8, 1),
                                          model_of("torus:4x2", 8, 1),
                                          model_of("dragonfly:2x2x2", 8, 1),
                                          model_of("dragonfly:4x2x1", 8, 1)};
  for (const Topology& machine : machines)
    for (const auto& extents : std::vector<std::vector<std::uint32_t>>{{8}, {2, 4}, {4, 2}, {2, 2, 2}})
      for (const bool periodic : {false, true}) {
        const auto pattern = grid_of(extents, periodic);
        const auto order = map(pattern, machine);
        ASSERT_TRUE(order.ok());
        EXPECT_NEAR(hops(pattern, machine, *order), best_of_all(pattern, machine), 1e-6)
            << "machine " << &machine - machines.data() << ", grid of " << extents[0] << ", periodic " << periodic;
      }
}

TEST(MapToMachine, AMatrixWhosePairsAreHiddenBringsThemTogether) {
  // 0-5, 1-4, 2-7, 3-6 talk; nodes have two units.
  const auto pattern = matrix_pattern(
      "0,0,0,0,0,9,0,0\n0,0,0,0,9,0,0,0\n0,0,0,0,0,0,0,9\n0,0,0,0,0,0,9,0\n0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n"
      "0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n");
  ASSERT_TRUE(pattern.ok()) << pattern.status().to_string();
  const Topology machine = tree_of({2, 2, 2, 2});
  const auto order = map(*pattern, machine);
  ASSERT_TRUE(order.ok());
  const auto cost = mapping_cost(*pattern, machine, *order);
  ASSERT_TRUE(cost.ok());
  EXPECT_EQ(cost->busiest, 0);
  EXPECT_DOUBLE_EQ(cost->parted[2], 36);  // all of it between cores of a node
}

TEST(MapToMachine, AnyExtentsAndRaggedNodesGiveAPermutation) {
  for (const auto& extents :
       std::vector<std::vector<std::uint32_t>>{{97}, {7, 13}, {5, 7, 3}, {2, 3, 5, 2}, {1, 1, 11}}) {
    const auto pattern = grid_of(extents, true);
    for (const Rank per_node : {1u, 4u, 7u}) {
      const Topology machine = model_of("aries", pattern.places(), per_node, 2000, pattern.places());
      auto order = map(pattern, machine);
      ASSERT_TRUE(order.ok());
      const double mapped = hops(pattern, machine, *order);
      EXPECT_LE(mapped, hops(pattern, machine, launcher_order(machine.units())) * 1.000001);
      std::sort(order->begin(), order->end());
      EXPECT_EQ(*order, launcher_order(machine.units()));
    }
  }
}

TEST(MapToMachine, ThePapersStencilCrossesFewerCables) {
  const Topology machine = model_of("aries", 384, 24, 7712);
  const auto pattern = grid_of({24, 24, 16});
  const auto order = map(pattern, machine);
  ASSERT_TRUE(order.ok());
  const auto launcher = mapping_cost(pattern, machine, launcher_order(machine.units())),
             mapped = mapping_cost(pattern, machine, *order);
  ASSERT_TRUE(launcher.ok() && mapped.ok());
  EXPECT_LT(1.8 * mapped->hop_bytes, launcher->hop_bytes);
  // Tiles of 4 x 3 x 2 part 5 x 384 + 7 x 384 + 7 x 576 pairs: no other tiles of 24 part fewer.
  EXPECT_DOUBLE_EQ(mapped->parted[0] + mapped->parted[1] + mapped->parted[2] + mapped->parted[3], 8640);
}

TEST(MapToMachine, WhatDoesNotFitIsRefused) {
  const Topology machine = tree_of({2, 2});
  EXPECT_EQ(map(grid_of({5}), machine).status().code(), Code::invalid_argument);
  EXPECT_EQ(mapping_cost(grid_of({4}), machine, std::vector<Rank>{0, 1, 2}).status().code(), Code::invalid_argument);
  const auto twice = mapping_cost(grid_of({4}), machine, std::vector<Rank>{0, 1, 1, 3});
  EXPECT_NE(twice.status().to_string().find("place 2 has unit 1 again"), std::string::npos);
  EXPECT_EQ(grid_pattern({.extents = {}}).status().code(), Code::invalid_argument);
  EXPECT_EQ(grid_pattern({.extents = {4}, .bytes = std::numeric_limits<double>::infinity()}).status().code(),
            Code::invalid_argument);
  EXPECT_EQ(grid_pattern({.extents = {4, 0}}).status().code(), Code::invalid_argument);
  EXPECT_EQ(grid_pattern({.extents = {1u << 20, 1u << 20}}).status().code(), Code::invalid_argument);
  EXPECT_NE(matrix_pattern("0,1\n2,x\n").status().to_string().find("row 1, column 1: 'x'"), std::string::npos);
  EXPECT_NE(matrix_pattern("0,1\n2\n").status().to_string().find("row 1 has 1 columns, not 2"), std::string::npos);
}

}  // namespace
}  // namespace polder::test
