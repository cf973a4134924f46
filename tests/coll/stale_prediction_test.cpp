// Stale-synchronous allreduces in virtual time: their cost by closed formulas, how old results are, deaths, and bad calls.
#include "coll/model/stale_prediction.hpp"
#include "coll/model/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace polder::coll::test {
namespace {

constexpr LogGP kWires = {.latency = 1.5, .overhead = 0.3, .gap = 0, .per_byte = 8e-5, .combining = 0};
constexpr StaleShape kAllShapes[] = {StaleShape::hypercube, StaleShape::flat, StaleShape::sharded};

WindowModelOptions with_wires() {
  WindowModelOptions options;
  options.flow.network = kWires;
  return options;
}

StaleOutcome of(const StaleModelCall& call, WindowModelOptions options = with_wires()) {
  auto outcome = predict_stale(call, std::move(options));
  EXPECT_TRUE(outcome.ok()) << outcome.status().to_string();
  return outcome.ok() ? *outcome : StaleOutcome();
}

// Nobody waits: what a call takes is what its core needs to send.
TEST(StalePrediction, CallsWithinTheSlackTakeTheOverheadOfTheirLetters) {
  for (const unsigned dimensions : {1, 4, 10}) {
    const Rank members = Rank{1} << dimensions;
    const unsigned calls = dimensions < 5 ? 3 : 1;  // before anything has come that cells are given back for
    const StaleOutcome cube = of({.members = members, .bytes = 800, .slack = 3, .calls = calls});
    EXPECT_NEAR(cube.flow.time, calls * dimensions * kWires.overhead, 1e-9);
    EXPECT_EQ(cube.waited, 0);
    EXPECT_EQ(cube.flow.letters, std::uint64_t{calls} * members * dimensions);
    EXPECT_EQ(cube.flow.bytes, std::uint64_t{calls} * members * dimensions * (64 + 800));
  }
  const StaleOutcome flat = of({.shape = StaleShape::flat, .members = 20, .bytes = 800, .slack = 3, .calls = 2});
  EXPECT_NEAR(flat.flow.time, 2 * 19 * kWires.overhead, 1e-9);
}

TEST(StalePrediction, WithoutSlackItIsTheConsistentAllreduce) {
  for (const StaleShape shape : kAllShapes) {
    const ModelCall allreduce{Kind::allreduce, 48, 4096, 0};
    const auto once = predict(allreduce, Table::of_environment().choose(choice_of(allreduce)), with_wires().flow);
    ASSERT_TRUE(once.ok());
    const StaleOutcome outcome = of({.shape = shape, .members = 48, .bytes = 4096, .slack = 0, .calls = 1});
    EXPECT_EQ(outcome.flow.time, once->time);
    EXPECT_EQ(outcome.flow.letters, once->letters);
    EXPECT_EQ(outcome.oldest, 0U);
  }
}

// Member 1 comes a millisecond late: member 0 makes as many calls as slack allows, and waits in the next one.
TEST(StalePrediction, AMemberWaitsWhenTheSlackIsUsedUp) {
  WindowModelOptions options = with_wires();
  options.flow.begins = [](Rank member) { return member == 1 ? 1000 : 0; };
  for (const StaleShape shape : {StaleShape::hypercube, StaleShape::flat}) {
    const StaleOutcome outcome = of({.shape = shape, .members = 2, .bytes = 800, .slack = 2, .calls = 4}, options);
    const double o = kWires.overhead, entered = 2 * o;
    EXPECT_NEAR(outcome.longest_call, 1000 + o + kWires.latency + 864 * kWires.per_byte + o - entered, 1e-9);
    EXPECT_EQ(outcome.oldest, 2U);
    EXPECT_GT(outcome.waited, 0);
  }
}

TEST(StalePrediction, NoResultIsOlderThanTheSlack) {
  for (const StaleShape shape : kAllShapes)
    for (const Rank members : {2, 3, 7, 16, 33})
      for (const std::uint64_t slack : {1, 2, 8}) {
        const StaleOutcome outcome = of({.shape = shape,
                                         .members = members,
                                         .bytes = 8000,
                                         .slack = slack,
                                         .calls = 20,
                                         .compute = 10,
                                         .stragglers = {.probability = 0.1, .mean = 100, .seed = slack + members}});
        EXPECT_LE(outcome.oldest, slack);
        EXPECT_GE(outcome.flow.time, 200);
        EXPECT_EQ(outcome.failed, 0U);
      }
}

// The model holds the result against all that was given.
TEST(StalePrediction, AFlushMakesAllEqual) {
  for (const StaleShape shape : kAllShapes)
    for (const Rank members : {2, 3, 16, 33})
      for (const std::uint64_t slack : {0, 1, 8}) {
        StaleModelCall call{.shape = shape,
                            .members = members,
                            .bytes = 8000,
                            .slack = slack,
                            .calls = 12,
                            .compute = 10,
                            .stragglers = {.probability = 0.1, .mean = 100, .seed = members}};
        const StaleOutcome before = of(call);
        call.flushes = true;
        const StaleOutcome outcome = of(call);
        EXPECT_GT(outcome.flush, 0);
        EXPECT_NEAR(outcome.flow.time, before.flow.time + outcome.flush, 1 + 0.1 * before.flow.time);
        EXPECT_EQ(before.flush, 0);
        if (slack == 0) {
          EXPECT_EQ(outcome.mean_call, before.mean_call);
        }
      }
}

// Nobody has given anything else since, so it is one more consistent allreduce.
TEST(StalePrediction, AFlushWithoutSlackIsAConsistentAllreduce) {
  const ModelCall allreduce{Kind::allreduce, 48, 4096, 0};
  const auto once = predict(allreduce, Table::of_environment().choose(choice_of(allreduce)), with_wires().flow);
  ASSERT_TRUE(once.ok());
  const StaleOutcome outcome = of({.members = 48, .bytes = 4096, .slack = 0, .calls = 3, .flushes = true});
  EXPECT_NEAR(outcome.flush, once->time, 1e-9 * once->time);
}

TEST(StalePrediction, SlackHidesStragglers) {
  double before = INFINITY;
  for (const std::uint64_t slack : {0, 2, 8}) {
    const StaleOutcome outcome = of({.members = 32,
                                     .bytes = 800,
                                     .slack = slack,
                                     .calls = 40,
                                     .compute = 100,
                                     .stragglers = {.probability = 0.05, .mean = 400}});
    EXPECT_LT(outcome.flow.time, before);
    before = outcome.flow.time;
  }
}

TEST(StalePrediction, OverLinksThatAreShared) {
  const auto tree = make_interconnect("fat_tree", 16);
  ASSERT_TRUE(tree.ok());
  WindowModelOptions options = with_wires();
  options.flow.interconnect = tree->get();
  options.flow.per_node = 4;
  for (const StaleShape shape : kAllShapes) {
    const StaleOutcome outcome = of({.shape = shape, .members = 64, .bytes = 80'000, .slack = 2, .calls = 3}, options);
    EXPECT_GT(outcome.flow.waited, 0);
    EXPECT_LE(outcome.oldest, 2U);
  }
}

TEST(StalePrediction, ADeathIsAnErrorAtAll) {
  WindowModelOptions options = with_wires();
  options.flow.dies = [](Rank member) { return member == 3 ? 50 : INFINITY; };
  for (const StaleShape shape : kAllShapes)
    for (const std::uint64_t slack : {0, 2}) {
      const StaleOutcome outcome =
          of({.shape = shape, .members = 8, .bytes = 800, .slack = slack, .calls = 100, .compute = 5, .flushes = true},
             options);
      EXPECT_EQ(outcome.flush, 0);
      EXPECT_EQ(outcome.flow.dead, 1U);
      EXPECT_EQ(outcome.failed, 7U);
      EXPECT_GE(outcome.flow.time, 150);
    }
}

TEST(StalePrediction, ManyMembers) {
  const StaleOutcome outcome = of({.members = 5000, .bytes = 8, .slack = 1, .calls = 2});
  EXPECT_EQ(outcome.oldest, 1U);
}

TEST(StalePrediction, WhatMakesNoSenseIsNamed) {
  const auto refusal = [](const StaleModelCall& call, WindowModelOptions options = with_wires()) {
    const auto outcome = predict_stale(call, std::move(options));
    return outcome.ok() ? "" : std::string(outcome.status().message());
  };
  EXPECT_NE(refusal({.members = 4, .bytes = 8, .slack = 1, .cells = 1}).find("cells are from 2"), std::string::npos);
  EXPECT_NE(refusal({.members = 4, .bytes = 8, .slack = 1, .calls = 0}).find("at least one call"), std::string::npos);
  EXPECT_NE(refusal({.shape = StaleShape::flat, .members = 65'536, .bytes = 8, .slack = 8}).find("hypercube has fewer"),
            std::string::npos);
  EXPECT_NE(refusal({.members = 400'000, .bytes = 8, .slack = 8}).find("300000"), std::string::npos);
  WindowModelOptions dying = with_wires();
  dying.flow.dies = [](Rank) { return INFINITY; };
  EXPECT_NE(refusal({.members = 10'000, .bytes = 8, .slack = 8}, dying).find("deaths"), std::string::npos);
}

}  // namespace
}  // namespace polder::coll::test
