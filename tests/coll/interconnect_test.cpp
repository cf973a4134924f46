// Interconnects: every letter finds its way, cables join what they say, and letters that share a link wait.
#include "coll/model/interconnect.hpp"
#include "coll/model/link_traffic.hpp"
#include "coll/model/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

std::unique_ptr<Interconnect> interconnect_of(std::string_view description, std::uint32_t nodes) {
  auto interconnect = make_interconnect(description, nodes);
  EXPECT_TRUE(interconnect.ok()) << description << ": " << interconnect.status().to_string();
  return interconnect.ok() ? std::move(*interconnect) : nullptr;
}

struct Network {
  const char* description;
  std::uint32_t nodes, longest;  // hops
};

class EveryInterconnect : public testing::TestWithParam<Network> {};
INSTANTIATE_TEST_SUITE_P(All, EveryInterconnect,
                         testing::Values(Network{"crossbar", 20, 2}, Network{"fat_tree", 16, 6},
                                         Network{"fat_tree:8", 128, 6}, Network{"dragonfly", 6, 5},
                                         Network{"dragonfly:3", 342, 5}, Network{"torus:4x5x3", 60, 5},
                                         Network{"torus:9", 9, 4}, Network{"torus", 27, 3}));

TEST_P(EveryInterconnect, BringsEachLetterToItsNodeOverCablesWithTwoEnds) {
  const Network& network = GetParam();
  const auto interconnect = interconnect_of(network.description, network.nodes);
  ASSERT_NE(interconnect, nullptr);
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> ends;
  std::uint32_t longest = 0;
  for (std::uint32_t from = 0; from < interconnect->nodes(); ++from)
    for (std::uint32_t to = 0; to < interconnect->nodes(); ++to) {
      std::uint32_t at = from, hops = 0;
      for (; at != to; ++hops) {
        ASSERT_LT(hops, 100u) << from << " to " << to;
        const Interconnect::Hop hop = interconnect->next(at, to);
        ASSERT_LT(hop.link, interconnect->links());
        const auto [place, fresh] = ends.try_emplace(hop.link, at, hop.to);
        EXPECT_TRUE(fresh || place->second == std::pair(at, hop.to)) << "link " << hop.link << " leads to two places";
        at = hop.to;
      }
      longest = std::max(longest, hops);
    }
  EXPECT_EQ(longest, network.longest);
}

TEST(Interconnect, HasAsManyPlacesAsItNeeds) {
  EXPECT_EQ(interconnect_of("fat_tree", 17)->nodes(), 54u);  // 6 ports
  EXPECT_EQ(interconnect_of("dragonfly", 7)->nodes(), 72u);  // 2 nodes at a router
  EXPECT_EQ(interconnect_of("torus", 28)->nodes(), 36u);     // 4 x 3 x 3
  EXPECT_EQ(interconnect_of("torus:5x2", 10)->describe(), "torus of 5 x 2 nodes");
}

TEST(Interconnect, RefusesWhatMakesNoSense) {
  for (const char* const word : {"", "ether", "crossbar:2", "fat_tree:3", "fat_tree:0", "fat_tree:4x", "dragonfly:99",
                                 "torus:0x3", "torus:3x", "torus:9999999", "torus:2x2x2x2x2x2x2", "torus:4x4"}) {
    const auto interconnect = make_interconnect(word, 17);
    ASSERT_FALSE(interconnect.ok()) << word;
    EXPECT_EQ(interconnect.status().code(), Code::invalid_argument) << word;
    EXPECT_NE(interconnect.status().message().find(std::string("'") + word + "'"), std::string::npos) << word;
  }
}

// ---- letters ----

constexpr double kHop = 0.25, kByte = 1e-3;

TEST(LinkTraffic, ALetterAloneTakesItsHopsAndItsBytesOnce) {
  const auto interconnect = interconnect_of("torus:8", 8);
  LinkTraffic traffic(*interconnect, kHop, kByte);
  traffic.carry(7, 0, 3, 1000, 10);
  LinkTraffic::Arrival arrival{};
  ASSERT_TRUE(traffic.next(arrival));
  EXPECT_EQ(arrival.letter, 7u);
  EXPECT_DOUBLE_EQ(arrival.time, 10 + 3 * kHop + 1000 * kByte);
  EXPECT_EQ(traffic.waited(), 0);
  EXPECT_FALSE(traffic.next(arrival));
}

// Two letters meet at the link to the node: the second one waits for the bytes of the first.
TEST(LinkTraffic, LettersOfOneLinkGoOneAfterTheOther) {
  const auto interconnect = interconnect_of("crossbar", 3);
  LinkTraffic traffic(*interconnect, kHop, kByte);
  traffic.carry(0, 0, 2, 1000, 0);
  traffic.carry(1, 1, 2, 500, 0);
  LinkTraffic::Arrival first{}, second{};
  ASSERT_TRUE(traffic.next(first) && traffic.next(second));
  EXPECT_EQ(first.letter, 0u);
  EXPECT_DOUBLE_EQ(first.time, 2 * kHop + 1000 * kByte);
  EXPECT_DOUBLE_EQ(second.time, 2 * kHop + 1500 * kByte);
  EXPECT_DOUBLE_EQ(traffic.waited(), 1000 * kByte);
}

// ---- collectives over links ----

constexpr LogGP kNetwork{.latency = 1.5, .overhead = 0.3, .gap = 0.1, .per_byte = 8e-5, .combining = 2e-5};

double time_over(const Interconnect* interconnect, Kind kind, Algorithm algorithm, Rank members, std::size_t bytes,
                 Rank per_node = 1) {
  const auto outcome = predict({kind, members, bytes}, algorithm,
                               {.network = kNetwork, .interconnect = interconnect, .hop = 0, .per_node = per_node});
  EXPECT_TRUE(outcome.ok()) << outcome.status().to_string();
  return outcome.ok() ? outcome->time : 0;
}

// Where no two letters meet, links change nothing.
TEST(Interconnect, WithoutContentionItIsLogGP) {
  const auto crossbar = interconnect_of("crossbar", 16), fat_tree = interconnect_of("fat_tree", 16);
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::doubling, Algorithm::circulant})
    for (const std::size_t bytes : {std::size_t{1} << 10, std::size_t{1} << 20}) {
      const double alone = time_over(nullptr, Kind::allreduce, algorithm, 16, bytes);
      EXPECT_NEAR(time_over(crossbar.get(), Kind::allreduce, algorithm, 16, bytes), alone, 1e-9 * alone);
    }
  // A shift goes through a fat tree without a meeting: ways are chosen by destination.
  const double alone = time_over(nullptr, Kind::allreduce, Algorithm::ring, 16, 1 << 20);
  EXPECT_NEAR(time_over(fat_tree.get(), Kind::allreduce, Algorithm::ring, 16, 1 << 20), alone, 1e-9 * alone);
}

// Each of 8 ranks of a node sends the whole vector to another node over the same link: eight times as long.
TEST(Interconnect, RanksOfANodeShareItsLink) {
  const auto interconnect = interconnect_of("crossbar", 2);
  const std::size_t bytes = 16 << 20;
  const double own = time_over(nullptr, Kind::allreduce, Algorithm::doubling, 2, bytes);
  const double shared = time_over(interconnect.get(), Kind::allreduce, Algorithm::doubling, 16, bytes, 8);
  EXPECT_GT(shared, 8 * double(bytes) * kNetwork.per_byte);
  EXPECT_LT(shared, 12 * own);
}

TEST(Interconnect, ANarrowTorusIsSlowerThanAWideOne) {
  const auto line = interconnect_of("torus:64", 64), cube = interconnect_of("torus:4x4x4", 64);
  EXPECT_GT(time_over(line.get(), Kind::alltoall, Algorithm::routed, 64, 4096),
            2 * time_over(cube.get(), Kind::alltoall, Algorithm::routed, 64, 4096));
}

}  // namespace
}  // namespace polder::coll
