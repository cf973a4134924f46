// Machines: of Slurm's file, of models; distances and loads that are known.
#include <polder/topology.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace polder::test {
namespace {

TEST(Machine, ASwitchFileIsATree) {
  const std::vector<std::string> hosts = {"n08", "n09", "n10", "x"};
  const auto topology = switch_topology(
      "# two leaves\nSwitchName=s0 Nodes=n[08-09]\nSwitchName=s1 Nodes=n[10-11],x LinkSpeed=9\n\nSwitchName=top "
      "Switches=s[0-1]\n",
      hosts, 2);
  ASSERT_TRUE(topology.ok()) << topology.status().to_string();
  EXPECT_EQ(topology->units(), 8u);
  EXPECT_EQ(topology->distance(0, 1), 0.1);  // one host
  EXPECT_EQ(topology->distance(0, 2), 2);    // one switch
  EXPECT_EQ(topology->distance(0, 4), 4);    // over the top
  EXPECT_EQ(topology->distance(4, 6), 2);
}

TEST(Machine, WhatIsWrongInASwitchFileIsNamed) {
  const std::vector<std::string> hosts = {"a"};
  const auto why = [&](const char* conf) { return switch_topology(conf, hosts, 1).status().to_string(); };
  EXPECT_NE(why("SwitchName=s Nodes=b").find("no switch has the host 'a'"), std::string::npos);
  EXPECT_NE(why("\nSwitchName=s Nodes=a[3-1]").find("line 2: 'a[3-1]' is no list"), std::string::npos);
  EXPECT_NE(why("SwitchName=s Knots=a").find("line 1: 'Knots=a'"), std::string::npos);
  EXPECT_NE(why("SwitchName=s").find("line 1: a switch has a name"), std::string::npos);
  EXPECT_NE(why("SwitchName=s Nodes=a\nSwitchName=t Nodes=a").find("line 2: 'a' is below two"), std::string::npos);
  EXPECT_NE(why("SwitchName=s Nodes=a Switches=t\nSwitchName=t Switches=s").find("circle"), std::string::npos);
}

TEST(Machine, ARangeOfASwitchFileEndsAtTheLargestNumberAndAListAtAMillionNames) {
  const std::vector<std::string> hosts = {"n18446744073709551615"};
  const auto made = [&](const char* conf) { return switch_topology(conf, hosts, 1).status().to_string(); };
  EXPECT_EQ(made("SwitchName=s Nodes=n[18446744073709551610-18446744073709551615]"), Status().to_string());
  EXPECT_NE(made("SwitchName=s Nodes=n[0-999998],n[18446744073709551615],m").find("is no list"), std::string::npos);
}

TEST(Machine, ATorusHasTheShortWayRound) {
  const auto torus = model_topology({.name = "torus:5x3", .nodes = 15, .per_node = 1});
  ASSERT_TRUE(torus.ok()) << torus.status().to_string();
  EXPECT_EQ(torus->distance(0, 12), 1);  // (0,0), (4,0)
  EXPECT_EQ(torus->distance(0, 8), 3);   // (0,0), (2,2)
  const auto pair = matrix_pattern("0,8,0\n0,0,0\n0,0,0");
  const auto ring = model_topology({.name = "torus:3", .nodes = 3, .per_node = 1});
  ASSERT_TRUE(pair.ok() && ring.ok());
  const std::vector<Rank> order = {2, 0, 1};
  const auto cost = mapping_cost(*pair, *ring, order);
  ASSERT_TRUE(cost.ok());
  EXPECT_EQ(cost->hop_bytes, 8);
  EXPECT_EQ(cost->busiest, 4);
}

TEST(Machine, ADragonflyIsFiveCablesAcross) {
  const auto machine = model_topology({.name = "dragonfly:5x4x2", .nodes = 40, .per_node = 1});
  ASSERT_TRUE(machine.ok()) << machine.status().to_string();
  EXPECT_EQ(machine->distance(0, 1), 2);   // one router
  EXPECT_EQ(machine->distance(0, 2), 3);   // one group
  EXPECT_EQ(machine->distance(0, 39), 5);  // the last group
}

// Between two groups there is one cable; whoever is not at its router goes there by another.
TEST(Machine, ADragonflysCablesAreShared) {
  const auto machine = model_topology({.name = "dragonfly:3x2x2", .nodes = 12, .per_node = 1});
  ASSERT_TRUE(machine.ok()) << machine.status().to_string();
  std::vector<PlaceTraffic> traffic;
  for (Rank from = 0; from < 4; ++from) traffic.push_back({from, Rank(4 + from), 10});  // group 0 to group 1
  const auto pattern = traffic_pattern(12, traffic);
  ASSERT_TRUE(pattern.ok());
  std::vector<Rank> order(12);
  std::iota(order.begin(), order.end(), Rank{0});
  const auto cost = mapping_cost(*pattern, *machine, order);
  ASSERT_TRUE(cost.ok());
  EXPECT_EQ(cost->hop_bytes, 4 * 5 * 10);
  EXPECT_EQ(cost->busiest, 4 * 5);  // weights are halved: each way
  EXPECT_EQ(cost->parted[0], 40);
}

TEST(Machine, TrafficIsAddedUpBothWays) {
  const std::vector<PlaceTraffic> traffic = {{0, 2, 5}, {2, 0, 3}, {1, 1, 7}, {0, 2, 1}, {1, 2, 0}};
  const auto pattern = traffic_pattern(3, traffic);
  ASSERT_TRUE(pattern.ok()) << pattern.status().to_string();
  EXPECT_EQ(pattern->begin, (std::vector<std::size_t>{0, 1, 1, 2}));
  EXPECT_EQ(pattern->neighbour, (std::vector<Rank>{2, 0}));
  EXPECT_EQ(pattern->weight, (std::vector<double>{9, 9}));
  for (const PlaceTraffic& wrong : {PlaceTraffic{0, 3, 1}, PlaceTraffic{3, 0, 1}, PlaceTraffic{0, 1, -1}})
    EXPECT_EQ(traffic_pattern(3, std::span(&wrong, 1)).status().code(), Code::invalid_argument);
  EXPECT_EQ(traffic_pattern(0, {}).status().code(), Code::invalid_argument);
}

TEST(Machine, ModelsThatDoNotExistOrHaveNoPlaceAreRefused) {
  for (const char* name : {"", "aries:3", "torus", "torus:0x2", "torus:2x", "fat_tree:3", "fat_tree:2x2", "ring:4",
                           "dragonfly:3x2", "dragonfly:5000x2x2", "torus:65536x65536x65536x65536", "torus:2001x2000",
                           "dragonfly:4096x512x128", "dragonfly:4096x512x1"})
    EXPECT_EQ(model_topology({.name = name, .nodes = 2, .per_node = 1}).status().code(), Code::invalid_argument)
        << name;
  EXPECT_NE(model_topology({.name = "fat_tree:4", .nodes = 17}).status().to_string().find("no place for 17"),
            std::string::npos);
  EXPECT_EQ(model_topology({.nodes = 2, .per_node = 2, .units = 5}).status().code(), Code::invalid_argument);
  EXPECT_EQ(Topology::create({}).status().code(), Code::invalid_argument);
  EXPECT_EQ(Topology::create({{{"node", 1, 1}}, 1, {2}, {}, {2}}).status().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace polder::test
