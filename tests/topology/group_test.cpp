// A group numbered by a mapping, over ranks on several simulated nodes.
#include <polder/simulate.hpp>
#include <polder/topology.hpp>

#include <gtest/gtest.h>

namespace polder::test {
namespace {

using namespace std::chrono_literals;

SimulationOptions on_nodes_of(Rank ranks, bool scattered) {
  SimulationOptions options;
  options.ranks_per_node = ranks;
  options.scattered = scattered;
  options.deterministic = true;
  return options;
}

TEST(MappedGroup, NumbersItsMembersByTheOrder) {
  Simulation simulation(8, on_nodes_of(4, true));
  const Status status = simulation.run([](Runtime& rt) {
    const auto topology = gather_topology(rt, rt.world(), 10s);
    ASSERT_TRUE(topology.ok()) << topology.status().to_string();
    EXPECT_GE(topology->distance(0, 1), 2);  // dealt to two nodes in turn
    EXPECT_LT(topology->distance(0, 2), 1);
    const auto pattern = grid_pattern({.extents = {4, 2}});
    const auto order = map(*pattern, *topology);
    ASSERT_TRUE(order.ok());
    auto group = create_mapped_group(rt, rt.world(), *order, 10s);
    ASSERT_TRUE(group.ok()) << group.status().to_string();
    ASSERT_TRUE((*group)->commit(10s).ok());
    for (Rank place = 0; place < 8; ++place) EXPECT_EQ((*group)->absolute(place), (*order)[place]);
    const auto cost = mapping_cost(*pattern, *topology, *order);
    EXPECT_EQ(cost->parted[0], 2);  // 4 x 2 in two squares: two pairs are parted
    EXPECT_TRUE((*group)->barrier(10s).ok());
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

TEST(MappedGroup, AnOrderThatIsNoneIsRefused) {
  Simulation simulation(2, on_nodes_of(1, false));
  const Status status = simulation.run([](Runtime& rt) {
    for (const std::vector<Rank>& order : {std::vector<Rank>{}, {0}, {0, 0}, {0, 2}, {0, 1, 2}})
      EXPECT_EQ(create_mapped_group(rt, rt.world(), order, 1s).status().code(), Code::invalid_argument);
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

TEST(MappedGroup, GatheringEndsWhenAMemberDoesNotCome) {
  Simulation simulation(2, on_nodes_of(1, false));
  const Status status = simulation.run([&](Runtime& rt) {
    if (rt.rank() != 0) return simulation.sleep(1'000'000'000);
    EXPECT_EQ(gather_topology(rt, rt.world(), 1ms).status().code(), Code::timeout);
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

}  // namespace
}  // namespace polder::test
