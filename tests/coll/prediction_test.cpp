// What the model says of calls: every algorithm that can serve one, noise and deaths by seed, and calls that it refuses.
#include "coll/model/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace polder::coll {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(Prediction, KnowsEveryAlgorithmThatCanServeACall) {
  std::size_t known = 0;
  for (std::uint8_t kind = 1; kind <= std::uint8_t(kLastKind); ++kind)
    for (const Rank members : {1, 2, 7, 40})
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{65'536}}) {
        const ModelCall call{Kind(kind), members, bytes, members / 2};
        for (const Algorithm algorithm : Table::all_for(choice_of(call))) {
          ASSERT_TRUE(runs_over_wire(algorithm)) << to_string(algorithm);
          const auto outcome = predict(call, algorithm, {});
          ASSERT_TRUE(outcome.ok()) << to_string(Kind(kind)) << " by " << to_string(algorithm) << " of " << members
                                    << ": " << outcome.status().to_string();
          EXPECT_EQ(outcome->hanging, 0u);
          EXPECT_EQ(outcome->rounds == 0, outcome->letters == 0);
          EXPECT_TRUE(members == 1 || bytes == 0 || outcome->rounds > 0) << to_string(algorithm);
          ++known;
        }
      }
  EXPECT_GT(known, 200u);
}

TEST(Prediction, CountsRounds) {
  EXPECT_EQ(predict({Kind::barrier, 16}, Algorithm::dissemination, {})->rounds, 4u);
  EXPECT_EQ(predict({Kind::allreduce, 9, 720}, Algorithm::ring, {})->rounds, 16u);
  EXPECT_EQ(predict({Kind::broadcast, 33, 8}, Algorithm::binomial, {})->rounds, 5u);  // 31 has five bits
}

TEST(Prediction, RefusesWhatAnAlgorithmCannotServe) {
  EXPECT_EQ(predict({Kind::allreduce, 40, 8}, Algorithm::whole, {}).status().code(), Code::invalid_argument);
  EXPECT_EQ(predict({Kind::barrier, 4}, Algorithm::ring, {}).status().code(), Code::invalid_argument);
  EXPECT_EQ(predict({Kind::allreduce, 4, 8}, Algorithm::shared, {}).status().code(), Code::invalid_argument);
  EXPECT_EQ(predict({Kind::alltoall, 100'000, 8}, Algorithm::bruck, {}).status().code(), Code::invalid_argument);
}

TEST(Prediction, NoiseIsThatOfItsSeed) {
  const auto time = [](Noise noise) {
    return predict({Kind::allreduce, 64, 1024}, Algorithm::doubling, {.noise = noise})->time;
  };
  const double quiet = time({});
  EXPECT_GT(time({0.05, 20, 1}), quiet + 10);
  EXPECT_EQ(time({0.05, 20, 1}), time({0.05, 20, 1}));
  EXPECT_NE(time({0.05, 20, 1}), time({0.05, 20, 2}));
  EXPECT_EQ(time({1, 0, 1}), quiet);
}

// One letter for each of k neighbours, whoever they are: L + 2o + (k-1) o at least.
TEST(Prediction, NeighboursOfAnyGraphGoDirectly) {
  struct Case {
    const char* words;
    Rank members;
    std::uint64_t edges;
    double us;
  };
  for (const Case& each : {Case{"ring", 64, 128, 2.4}, Case{"torus:8x8", 64, 256, 3.6}, Case{"grid:2x3", 6, 14, 2.7},
                           Case{"stencil:10x10", 100, 800, 4.8}, Case{"stencil:4x4x4", 64, 1664, 15.6}}) {
    const auto graph = NeighbourGraph::read(each.words, each.members, 1);
    ASSERT_TRUE(graph.ok()) << graph.status().to_string();
    const ModelCall call{.kind = Kind::neighbours, .members = each.members, .bytes = 8, .graph = &*graph};
    EXPECT_TRUE(graph->has_slots());
    EXPECT_EQ(Table().choose(choice_of(call)), Algorithm::spread);
    const auto spread = predict(call, Algorithm::spread, {}), routed = predict(call, Algorithm::routed, {});
    ASSERT_TRUE(spread.ok() && routed.ok());
    EXPECT_EQ(spread->letters, each.edges) << each.words;
    EXPECT_EQ(spread->rounds, 1u);
    EXPECT_NEAR(spread->time, each.us, 0.01) << each.words;
    EXPECT_LT(spread->time, routed->time) << each.words;
  }
}

TEST(Prediction, DrawsRandomGraphsBySeed) {
  const auto one = NeighbourGraph::read("random:70", 200, 1), same = NeighbourGraph::read("random:70", 200, 1);
  const auto other = NeighbourGraph::read("random:70", 200, 2), few = NeighbourGraph::read("random:8", 200, 1);
  ASSERT_TRUE(one.ok() && same.ok() && other.ok() && few.ok());
  EXPECT_EQ(one->destinations(7), same->destinations(7));
  EXPECT_NE(one->destinations(7), other->destinations(7));
  EXPECT_EQ(one->destinations(7).size(), 70u);
  EXPECT_FALSE(NeighbourGraph::read("random:190", 200, 1)->has_slots()) << "more than 64 that are no distances";
  EXPECT_TRUE(few->has_slots());
  for (const char* wrong : {"", "rings", "torus", "torus:", "torus:3x", "torus:3x5", "grid:0", "random:200", "box:4x4"})
    EXPECT_EQ(NeighbourGraph::read(wrong, 200, 1).status().code(), Code::invalid_argument) << wrong;
}

TEST(Prediction, ThoseBelowADeadMemberOfATreeHang) {
  // Member 4 of 8 has 5, 6 and 7 below it in a binomial tree from 0.
  const auto dies = [](double when) { return [when](Rank member) { return member == 4 ? when : kNever; }; };
  const auto dead = predict({Kind::broadcast, 8, 64}, Algorithm::binomial, {.dies = dies(0)});
  ASSERT_TRUE(dead.ok()) << dead.status().to_string();
  EXPECT_EQ(dead->dead, 1u);
  EXPECT_EQ(dead->hanging, 3u);
  // A barrier needs everybody.
  EXPECT_EQ(predict({Kind::barrier, 8}, Algorithm::dissemination, {.dies = dies(0)})->hanging, 7u);
  // Whoever dies after the end has not died in it.
  const auto late = predict({Kind::broadcast, 8, 64}, Algorithm::binomial, {.dies = dies(1e6)});
  EXPECT_EQ(late->dead + late->hanging, 0u);
}

// The same over links, where letters come in the order of time.
TEST(Prediction, DeathsOverLinks) {
  const auto interconnect = make_interconnect("torus", 8);
  ASSERT_TRUE(interconnect.ok());
  FlowOptions options;
  options.interconnect = interconnect->get();
  options.dies = [](Rank member) { return member == 4 ? 0.5 : kNever; };
  const auto outcome = predict({Kind::broadcast, 8, 64}, Algorithm::binomial, options);
  ASSERT_TRUE(outcome.ok()) << outcome.status().to_string();
  EXPECT_EQ(outcome->dead, 1u);
  EXPECT_GT(outcome->hanging, 0u);
}

}  // namespace
}  // namespace polder::coll
