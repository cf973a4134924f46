// A group numbered by a mapping, over ranks on several simulated nodes.
#include <polder/simulate.hpp>
#include <polder/topology.hpp>

#include <gtest/gtest.h>

#include <array>

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

// From further down the stack than the test, so that what it leaves there is nothing that a later call finds.
[[gnu::noinline]] Code gather_below(Runtime& rt, Group& group) {
  std::array<volatile char, 4096> room = {};
  return room[0] != 0 ? Code::ok : gather_topology(rt, group, 1ms).status().code();
}

// Of each member: the numbers of its node. A member that comes late makes the others time out first.
void gather_after_timeouts(Simulation& simulation, Runtime& rt, Group& group) {
  if (group.index() == group.size() - 1)
    simulation.sleep(1'000'000'000);
  else
    ASSERT_EQ(gather_below(rt, group), Code::timeout);
  const std::vector<std::byte> elsewhere(4096);  // where a vector of the first call was
  auto topology = gather_topology(rt, group, 10s);
  while (topology.status().timed_out()) topology = gather_topology(rt, group, 10s);
  ASSERT_TRUE(topology.ok()) << topology.status().to_string();
  for (Rank member = 0; member < group.size(); ++member)
    EXPECT_EQ(topology->at(member)[0], *rt.node(group.absolute(member))) << member;
}

TEST(MappedGroup, GatheringGoesOnAfterATimeoutBetweenNodes) {
  for (const Rank ranks : {3, 48}) {  // a little of each member, and more
    Simulation simulation(ranks, on_nodes_of(1, false));
    const Status status = simulation.run([&](Runtime& rt) { gather_after_timeouts(simulation, rt, rt.world()); });
    EXPECT_TRUE(status.ok()) << status.to_string();
  }
}

TEST(MappedGroup, GatheringGoesOnAfterATimeoutOnOneNode) {
  Simulation simulation(6, on_nodes_of(3, false));
  const Status status = simulation.run([&](Runtime& rt) {
    const auto group = rt.create_node_group();
    ASSERT_TRUE(group.ok() && (*group)->commit(10s).ok());
    gather_after_timeouts(simulation, rt, **group);
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

}  // namespace
}  // namespace polder::test
