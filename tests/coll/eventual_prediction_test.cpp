// Eventually consistent collectives in virtual time: their cost by closed formulas, what counts, deaths, and bad calls.
#include "coll/model/eventual_prediction.hpp"

#include "coll/model/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace polder::coll::test {
namespace {

constexpr LogGP kNet = {.latency = 1.5, .overhead = 0.3, .gap = 0, .per_byte = 8e-5, .combining = 2e-5};
constexpr double kHead = 64, kWord = 16;  // bytes in front of a contribution, and of what says that it is there

WindowModelOptions over(const LogGP& network) {
  WindowModelOptions options;
  options.flow.network = network;
  return options;
}

EventualOutcome of(const EventualModelCall& call, WindowModelOptions options = over(kNet)) {
  auto outcome = predict_eventual(call, std::move(options));
  EXPECT_TRUE(outcome.ok()) << outcome.status().to_string();
  return outcome.ok() ? *outcome : EventualOutcome();
}

EventualModelCall flat(Kind kind, Rank members, std::size_t bytes) {
  return {.kind = kind, .members = members, .bytes = bytes, .root = 0, .enough = {}, .way = EventualWay::flat};
}

// All come at the same time; the root reads one vector after the other, says that it is done, and that it has left.
double reduce_formula(double members, double contributors, double bytes) {
  const double o = kNet.overhead, L = kNet.latency, G = kNet.per_byte;
  const double come = o + L + kWord * G + o;
  const double one = 2 * (o + L) + (kHead + bytes) * G + bytes * kNet.combining;
  return come + (contributors - 1) * one + 2 * (members - 1) * o;
}

// Stage by stage of a tree: a flag, and what it speaks of is read and combined.
double binomial_formula(double members, double contributors, double bytes) {
  const double o = kNet.overhead, L = kNet.latency, G = kNet.per_byte;
  const double stage = 3 * L + 4 * o + bytes * (G + kNet.combining);
  return std::log2(contributors) * stage + 2 * (members - 1) * o;
}

TEST(EventualPrediction, AReduceTakesWhatTheFormulaSays) {
  for (const Rank members : {2, 4, 8, 32, 100})
    for (const std::size_t bytes : {8, 9600, 80'000, 8'000'000}) {
      const EventualOutcome outcome = of(flat(Kind::reduce, members, bytes));
      EXPECT_NEAR(outcome.root, reduce_formula(members, members, double(bytes)), 1e-9 * outcome.root);
      EXPECT_EQ(outcome.contributors, members);
      EXPECT_EQ(outcome.counted, members);
      EXPECT_EQ(outcome.ended, Ended::thresholds);
    }
}

TEST(EventualPrediction, AShareOfTheDataIsAShareOfTheBytes) {
  for (const double share : {0.25, 0.5, 0.75}) {
    EventualModelCall call = flat(Kind::reduce, 16, 8'000'000);
    call.enough.data = share;
    const EventualOutcome outcome = of(call);
    EXPECT_NEAR(outcome.root, reduce_formula(16, 16, share * 8e6), 1e-9 * outcome.root);
    EXPECT_DOUBLE_EQ(outcome.data, share);
  }
}

// As in figure 10 of the paper: three quarters of the members are all of them.
TEST(EventualPrediction, MembersAreLeftOutByStages) {
  for (const auto& [share, left] : {std::pair{0.25, 8.0}, {0.5, 16.0}, {0.75, 32.0}, {1.0, 32.0}}) {
    EventualModelCall call = flat(Kind::reduce, 32, 80'000);
    call.enough.members = share;
    call.enough.leave_out = LeaveOut::stages;
    const EventualOutcome outcome = of(call);
    EXPECT_NEAR(outcome.root, reduce_formula(32, left, 80'000), 1e-9 * outcome.root) << share;
    EXPECT_EQ(outcome.contributors, left);
    EXPECT_EQ(outcome.counted, left);
    call.way = EventualWay::binomial;
    const EventualOutcome tree = of(call);
    EXPECT_NEAR(tree.root, binomial_formula(32, left, 80'000), 0.01) << share;
    EXPECT_EQ(tree.contributors, left);
    EXPECT_EQ(tree.counted, left);
  }
}

TEST(EventualPrediction, ABroadcastToOneTakesWhatTheFormulaSays) {
  const double o = kNet.overhead, L = kNet.latency, G = kNet.per_byte, bytes = 80'000;
  const EventualOutcome outcome = of(flat(Kind::broadcast, 2, 80'000));
  const double told = o + L + kWord * G + o, read = 2 * (o + L) + (kHead + bytes) * G, taken = o + L + o;
  EXPECT_NEAR(outcome.root, told + read + taken + o, 1e-9);
  EXPECT_EQ(outcome.flow.last, 0U);
}

// The root's link carries all of them, whatever the order of requests.
TEST(EventualPrediction, ABroadcastIsBoundByTheRootsLink) {
  const EventualOutcome outcome = of(flat(Kind::broadcast, 32, 8'000'000));
  const double link = 31 * (kHead + 8e6) * kNet.per_byte;
  EXPECT_GT(outcome.root, link);
  EXPECT_LT(outcome.root, link * 1.001 + 31 * kNet.overhead + 10);
}

TEST(EventualPrediction, AReduceAlongATreeTakesWhatTheFormulaSays) {
  for (const Rank members : {4, 8, 32, 128})
    for (const std::size_t bytes : {8, 9600, 80'000, 8'000'000}) {
      EventualModelCall call = flat(Kind::reduce, members, bytes);
      call.way = EventualWay::binomial;
      const EventualOutcome outcome = of(call);
      EXPECT_NEAR(outcome.root, binomial_formula(members, members, double(bytes)), 0.01);
      EXPECT_EQ(outcome.contributors, members);
      EXPECT_EQ(outcome.ended, Ended::thresholds);
    }
}

// Whatever is chosen is nearly as fast as the fastest.
TEST(EventualPrediction, TheChosenWayIsAmongTheFastest) {
  for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce})
    for (const Rank members : {3, 6, 32, 128})
      for (const std::size_t bytes : {8, 8000, 80'000, 800'000, 8'000'000}) {
        EventualModelCall call = flat(kind, members, bytes);
        double least = of(call).flow.time;
        for (const EventualWay way : {EventualWay::binomial, EventualWay::slices}) {
          call.way = way;
          least = std::min(least, of(call).flow.time);
        }
        call.way = EventualWay::fastest;
        EXPECT_LT(of(call).flow.time, 1.2 * least) << to_string(kind) << " " << members << " " << bytes;
      }
}

// All of a long vector takes no longer than it does with the consistent collective, but for the gate of an allreduce, at which
// all members ask; and a quarter of it a third of that, or a half where there are so many members that their letters count.
TEST(EventualPrediction, LongVectorsTakeAsLongAsConsistentOnesAndPartsOfThemLess) {
  for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce})
    for (const Rank members : {8, 32, 128}) {
      EventualModelCall call{.kind = kind, .members = members, .bytes = 8'000'000};
      const ModelCall consistent{kind, members, call.bytes};
      const auto full = predict(consistent, Table().choose(choice_of(consistent)), over(kNet).flow);
      ASSERT_TRUE(full.ok());
      const double whole = of(call).flow.time;
      const double most = kind != Kind::allreduce ? 1.1 : members < 100 ? 1.25 : 1.5;
      EXPECT_LT(whole, most * full->time) << to_string(kind) << " " << members;
      call.enough.data = 0.25;
      EXPECT_LT(of(call).flow.time, whole / (members < 100 ? 3 : 2)) << to_string(kind) << " " << members;
    }
}

TEST(EventualPrediction, WhoIsLateIsNotWaitedFor) {
  WindowModelOptions options = over(kNet);
  options.flow.begins = [](Rank member) { return member >= 12 ? 1e6 : 0; };
  EventualModelCall call{.kind = Kind::allreduce, .members = 16, .bytes = 800};
  call.enough.members = 0.75;
  const EventualOutcome early = of(call, options);
  EXPECT_EQ(early.contributors, 12U);
  EXPECT_EQ(early.counted, 12U);
  EXPECT_LT(early.root, 1000);
  call.enough.members = 1;
  EXPECT_GT(of(call, options).root, 1e6);
  call.enough.deadline = std::chrono::microseconds(500);
  const EventualOutcome timed = of(call, options);
  EXPECT_EQ(timed.contributors, 12U);
  EXPECT_EQ(timed.ended, Ended::deadline);
  EXPECT_GE(timed.root, 500);
  EXPECT_LT(timed.root, 1000);
}

// The first operation takes as long as without an enhancement; in it all vectors are read again.
TEST(EventualPrediction, AnEnhancementReadsAllAgain) {
  for (const std::size_t bytes : {800, 800'000}) {
    EventualModelCall call = flat(Kind::reduce, 16, bytes);
    call.enough.members = 0.5;
    call.enough.leave_out = LeaveOut::stages;
    const double alone = of(call).root;
    call.more = Threshold{.leave_out = LeaveOut::stages};
    const EventualOutcome outcome = of(call);
    EXPECT_EQ(outcome.root, alone);
    EXPECT_EQ(outcome.contributors, 8U);
    EXPECT_EQ(outcome.counted, 8U);
    ASSERT_TRUE(outcome.enhanced);
    EXPECT_EQ(outcome.enhanced->contributors, 16U);
    EXPECT_EQ(outcome.enhanced->counted, 16U);
    EXPECT_EQ(outcome.enhanced->ended, Ended::thresholds);
    const double again = reduce_formula(16, 16, double(bytes));
    const double told = 3 * kNet.latency + 6 * kNet.overhead;  // others hear of the first result, and read its head
    EXPECT_GE(outcome.enhanced->root - outcome.root, again);
    EXPECT_LE(outcome.enhanced->root - outcome.root, again + told);
    EXPECT_GE(outcome.flow.time, outcome.enhanced->root);
  }
}

TEST(EventualPrediction, AShareOfTheDataIsEnhancedToAll) {
  for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce})
    for (const EventualWay way : {EventualWay::flat, EventualWay::binomial, EventualWay::slices}) {
      EventualModelCall call = flat(kind, 9, 80'000);
      call.way = way;
      call.enough.data = 0.25;
      call.more = Threshold{};
      const EventualOutcome outcome = of(call);
      EXPECT_DOUBLE_EQ(outcome.data, 0.25);
      ASSERT_TRUE(outcome.enhanced);
      EXPECT_DOUBLE_EQ(outcome.enhanced->data, 1);
      EXPECT_EQ(outcome.enhanced->contributors, 9U);
      EXPECT_GT(outcome.enhanced->root, outcome.root);
      EXPECT_EQ(outcome.failed, 0U);
    }
}

TEST(EventualPrediction, WhoWasLateIsInTheEnhancement) {
  WindowModelOptions options = over(kNet);
  options.flow.begins = [](Rank member) { return member >= 12 ? 1e6 : 0; };
  EventualModelCall call{.kind = Kind::allreduce, .members = 16, .bytes = 800};
  call.enough.members = 0.75;
  call.more = Threshold{};
  const EventualOutcome outcome = of(call, options);
  EXPECT_EQ(outcome.contributors, 12U);
  EXPECT_LT(outcome.root, 1000);
  ASSERT_TRUE(outcome.enhanced);
  EXPECT_EQ(outcome.enhanced->contributors, 16U);
  EXPECT_EQ(outcome.enhanced->counted, 16U);
  EXPECT_GT(outcome.enhanced->root, 1e6);
  call.more->deadline = std::chrono::microseconds(500);
  const EventualOutcome timed = of(call, options);
  EXPECT_EQ(timed.enhanced->contributors, 12U);
  EXPECT_EQ(timed.enhanced->ended, Ended::deadline);
  EXPECT_LT(timed.enhanced->root, 2000);
}

TEST(EventualPrediction, DeathsDuringAnEnhancement) {
  WindowModelOptions options = over(kNet);
  EventualModelCall call = flat(Kind::reduce, 8, 800);
  call.enough.members = 0.5;
  call.enough.leave_out = LeaveOut::stages;
  const double first = of(call).root;
  call.more = Threshold{.leave_out = LeaveOut::stages};
  options.flow.dies = [=](Rank member) { return member == 7 ? first : INFINITY; };
  const EventualOutcome outcome = of(call, options);
  EXPECT_EQ(outcome.contributors, 4U);
  ASSERT_TRUE(outcome.enhanced);
  EXPECT_EQ(outcome.enhanced->contributors, 7U);
  EXPECT_EQ(outcome.enhanced->ended, Ended::deaths);
  options.flow.dies = [=](Rank member) { return member == 0 ? first : INFINITY; };
  const EventualOutcome lost = of(call, options);
  EXPECT_EQ(lost.failed, 7U);
  EXPECT_FALSE(lost.enhanced->ended);
}

TEST(EventualPrediction, DeathsEndNothingButWhatNeedsTheRoot) {
  WindowModelOptions options = over(kNet);
  options.flow.dies = [](Rank member) { return member == 3 ? 0.1 : INFINITY; };
  for (const Kind kind : {Kind::reduce, Kind::allreduce}) {
    const EventualOutcome outcome = of({kind, 8, 800}, options);
    EXPECT_EQ(outcome.contributors, 7U);
    EXPECT_EQ(outcome.ended, Ended::deaths);
    EXPECT_EQ(outcome.flow.dead, 1U);
    EXPECT_GT(outcome.root, 100);  // when it hears of it
  }
  const EventualOutcome lost = of({.kind = Kind::broadcast, .members = 8, .bytes = 800, .root = 3}, options);
  EXPECT_EQ(lost.failed, 7U);
  EXPECT_FALSE(lost.ended);
}

// Whoever dies, and whenever: the others end, and what their status says is compared with the values by the model.
TEST(EventualPrediction, WhoeverCarriesPiecesMayDie) {
  for (const EventualWay way : {EventualWay::binomial, EventualWay::slices})
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce})
      for (Rank victim = kind == Kind::allreduce ? 0 : 1; victim < 9; ++victim)
        for (const double time : {1.0, 7.0, 15.0, 40.0}) {
          WindowModelOptions options = over(kNet);
          options.flow.dies = [=](Rank member) { return member == victim ? time : INFINITY; };
          EventualModelCall call = flat(kind, 9, 80'000);
          call.way = way;
          const EventualOutcome outcome = of(call, options);
          EXPECT_EQ(outcome.failed, 0U);
          EXPECT_EQ(outcome.data, 1);
          EXPECT_TRUE(outcome.contributors == 9 || (outcome.contributors == 8 && outcome.ended == Ended::deaths));
        }
}

// The deadline of one that carries pieces is no reason for the others to do without it.
TEST(EventualPrediction, AtADeadlineTheRootReadsWhatHasCome) {
  for (const EventualWay way : {EventualWay::binomial, EventualWay::slices}) {
    WindowModelOptions options = over(kNet);
    options.flow.begins = [](Rank member) { return member == 2 ? 1e6 : 0; };
    EventualModelCall call = flat(Kind::reduce, 8, 80'000);
    call.way = way;
    call.enough.deadline = std::chrono::microseconds(500);
    const EventualOutcome timed = of(call, options);
    EXPECT_EQ(timed.contributors, 7U);
    EXPECT_EQ(timed.ended, Ended::deadline);
    EXPECT_LT(timed.root, 1000);
    call.enough.deadline.reset();
    const EventualOutcome late = of(call, options);
    EXPECT_EQ(late.contributors, 8U);
    EXPECT_GT(late.root, 1e6);
    call.kind = Kind::allreduce;
    call.enough.deadline = std::chrono::microseconds(500);
    const EventualOutcome for_all = of(call, options);
    EXPECT_EQ(for_all.contributors, 7U);
    EXPECT_EQ(for_all.counted, 7U);
    call.kind = Kind::broadcast;
    call.enough.deadline = std::chrono::microseconds(500);
    EXPECT_EQ(of(call, options).failed, 0U);
  }
}

TEST(EventualPrediction, TheClaimantOfAnAllreduceMayDie) {
  WindowModelOptions options = over(kNet);
  options.flow.dies = [](Rank member) { return member == 0 ? 30 : INFINITY; };
  const EventualOutcome outcome = of(flat(Kind::allreduce, 16, 80'000), options);
  EXPECT_EQ(outcome.flow.dead, 1U);
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_EQ(outcome.contributors, 15U);
}

TEST(EventualPrediction, SharedLinksCostTime) {
  const auto torus = make_interconnect("torus:64", 64);
  ASSERT_TRUE(torus.ok());
  WindowModelOptions options = over(kNet);
  const double alone = of({Kind::broadcast, 64, 80'000}, options).root;
  options.flow.interconnect = torus->get();
  options.flow.hop = 0.5;
  const EventualOutcome shared = of({Kind::broadcast, 64, 80'000}, options);
  EXPECT_EQ(shared.contributors, 64U);
  EXPECT_GT(shared.flow.waited, 0);
  EXPECT_GT(shared.root, alone);
}

TEST(EventualPrediction, NoiseIsThatOfItsSeed) {
  WindowModelOptions options = over(kNet);
  options.flow.noise = {.probability = 0.05, .mean = 20, .seed = 3};
  const EventualModelCall call{.kind = Kind::allreduce, .members = 16, .bytes = 800};
  const double time = of(call, options).flow.time;
  EXPECT_EQ(of(call, options).flow.time, time);
  options.flow.noise.seed = 4;
  EXPECT_NE(of(call, options).flow.time, time);
}

TEST(EventualPrediction, EmptyVectorsAndOneMember) {
  EXPECT_EQ(of({Kind::allreduce, 1, 8000}).contributors, 1U);
  EXPECT_EQ(of({Kind::reduce, 1, 8000}).flow.letters, 0U);
  EXPECT_EQ(of({Kind::reduce, 5, 0}).contributors, 5U);
  EXPECT_EQ(of({Kind::broadcast, 5, 3}).contributors, 5U);
}

TEST(EventualPrediction, WhatMakesNoSenseIsNamed) {
  const auto refusal = [](const EventualModelCall& call) {
    const auto outcome = predict_eventual(call, over(kNet));
    return outcome.ok() ? "" : std::string(outcome.status().message());
  };
  EventualModelCall call{.kind = Kind::reduce, .members = 4, .bytes = 8};
  call.enough.data = 1.5;
  EXPECT_NE(refusal(call).find("a share is from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal({Kind::scan, 4, 8}).find("no eventual scan"), std::string::npos);
  EXPECT_NE(refusal({Kind::reduce, 5000, 8}).find("more than 4096"), std::string::npos);
  EXPECT_NE(refusal({.kind = Kind::reduce, .members = 4, .bytes = 8, .root = 4}).find("root"), std::string::npos);
  call.enough.data = 0.5;
  call.more = Threshold{.data = 0.25};
  EXPECT_NE(refusal(call).find("asks for more"), std::string::npos);
  call.more = Threshold{.data = 2};
  EXPECT_NE(refusal(call).find("a share is from 0 to 1"), std::string::npos);
}

}  // namespace
}  // namespace polder::coll::test
