// Jobs with one thing wrong each, as traces whose times are known to the nanosecond: the analysis must name that cause
// first, with the time that it took.
#include "trace/analyse/analysis.hpp"

#include "trace/report/stats.hpp"
#include "trace_fixture.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>

namespace polder::trace {
namespace {

constexpr Rank kRanks = 4;
constexpr std::uint32_t kGroup = 5;

class AnalysisTest : public TraceTest {
 protected:
  AnalysisTest() {
    for (Rank rank = 0; rank < kRanks; ++rank) ranks_.push_back(open(options(rank, kRanks)));
  }

  void record(Rank rank, const Event& event) { ranks_[rank]->record(event); }
  // Members come at `begins` and all leave a microsecond after the last.
  void meet(EventKind kind, const std::array<std::int64_t, kRanks>& begins) {
    const std::int64_t last = *std::max_element(begins.begin(), begins.end());
    for (Rank rank = 0; rank < kRanks; ++rank)
      record(rank, event_at(kind, begins[rank], last + 1, {.segment = kGroup}));
  }

  Analysis analysed() {
    ranks_.clear();
    auto analysis = analyse_directory(directory_);
    EXPECT_TRUE(analysis.ok()) << analysis.status().to_string();
    return analysis ? *std::move(analysis) : Analysis();
  }

  // The first loss is `cause`, `us` microseconds to 5 %.
  void expect_first(const Analysis& analysis, Cause cause, std::int64_t us, Rank culprit = ~Rank{0}) {
    ASSERT_FALSE(analysis.losses.empty());
    const Loss& first = analysis.losses[0];
    EXPECT_STREQ(to_string(first.cause), to_string(cause)) << stats_text(analysis);
    EXPECT_NEAR(double(first.ns), double(us) * 1000, double(us) * 50) << stats_text(analysis);
    EXPECT_EQ(first.culprit, culprit) << stats_text(analysis);
    EXPECT_FALSE(first.sentence.empty() || first.way_out.empty());
  }

  std::vector<std::unique_ptr<Recorder>> ranks_;
};

TEST_F(AnalysisTest, SlowRank) {
  for (std::int64_t round = 0; round < 20; ++round) {
    const std::int64_t at = round * 1000;
    meet(EventKind::barrier, {at + 600, at + 600, at + 900, at + 600});
  }
  const Analysis analysis = analysed();
  expect_first(analysis, Cause::imbalance, 20 * 3 * 300, 2);
  EXPECT_EQ(analysis.losses[0].ranks, (std::vector<Rank>{0, 1, 3}));
  EXPECT_EQ(analysis.wait_states.at("Wait at Barrier"), 20 * 3 * 300'000);
}

// What was recorded of one rank only, or asked for again after its end, does not shift those that follow.
TEST_F(AnalysisTest, CollectivesArePairedByTheirNumbers) {
  for (const NotificationValue number : {1u, 2u}) {
    const std::int64_t at = 1000 * number;
    for (Rank rank = 0; rank < kRanks; ++rank)
      record(rank, event_at(EventKind::broadcast, at - (rank == 1 ? 0 : 100), at + 1,
                            {.segment = kGroup, .queue = 3, .value = number}));
    record(0, event_at(EventKind::broadcast, at + 2, at + 3, {.segment = kGroup, .queue = 3, .value = number}));
  }
  record(3, event_at(EventKind::broadcast, 2500, 2501, {.segment = kGroup, .queue = 3, .value = 3}));
  for (Rank rank = 0; rank < kRanks; ++rank)
    record(rank, event_at(EventKind::broadcast, 3000, 3001, {.segment = kGroup, .queue = 3, .value = 4}));
  const Analysis analysis = analysed();
  EXPECT_EQ(analysis.wait_states.at("Late Broadcast"), 2 * 3 * 100'000) << stats_text(analysis);
}

TEST_F(AnalysisTest, WhoLeftBeforeTheLastOneCameWaitedForNobody) {
  for (std::int64_t i = 0; i < 99; ++i)
    record(1, event_at(EventKind::put, i * 1000, i * 1000 + 900, {.peer = 2, .segment = 1, .bytes = 8}));
  record(0, event_at(EventKind::broadcast, 0, 1, {.segment = kGroup}));
  for (Rank rank = 1; rank < kRanks; ++rank)
    record(rank, event_at(EventKind::broadcast, 100'000, 100'001, {.segment = kGroup}));
  const Analysis analysis = analysed();
  for (const Loss& loss : analysis.losses) EXPECT_EQ(loss.others_ns, 0) << stats_text(analysis);
  EXPECT_FALSE(analysis.wait_states.contains("Late Broadcast")) << stats_text(analysis);
}

TEST_F(AnalysisTest, WhatWasNotRecordedIsNoUsefulWork) {
  for (Rank rank = 0; rank < kRanks; ++rank) record(rank, event_at(EventKind::recording_off, 0, 99'000));
  meet(EventKind::barrier, {99'500, 99'500, 99'999, 99'500});
  const Analysis analysis = analysed();
  EXPECT_LT(analysis.efficiencies.parallel, 0.7) << stats_text(analysis);
  EXPECT_GT(analysis.efficiencies.load_balance, 0.5) << stats_text(analysis);
}

TEST_F(AnalysisTest, NeighboursAreNoMeetingOfAll) {
  meet(EventKind::neighbours, {600, 600, 900, 600});
  const Analysis analysis = analysed();
  EXPECT_TRUE(analysis.losses.empty()) << stats_text(analysis);
  EXPECT_TRUE(analysis.wait_states.empty()) << stats_text(analysis);
}

TEST_F(AnalysisTest, OfManyRanksTheWorstAreNamed) {
  ranks_.clear();
  for (Rank rank = 0; rank < 16; ++rank) {
    const auto recorder = open(options(rank, 16));
    recorder->record(event_at(EventKind::barrier, rank == 3 ? 900 : 500 - rank, 901, {.segment = kGroup}));
  }
  const Analysis analysis = analysed();
  ASSERT_FALSE(analysis.losses.empty());
  EXPECT_EQ(analysis.losses[0].sentence.substr(0, 50), "ranks 8, 9, 10, 11, 12, 13, 14, 15 and 7 others wa");
}

TEST_F(AnalysisTest, TheLongestCaseIsWhereToLook) {
  meet(EventKind::barrier, {500, 500, 600, 500});
  meet(EventKind::barrier, {1000, 1100, 1500, 1200});
  const Analysis analysis = analysed();
  ASSERT_FALSE(analysis.losses.empty());
  const Instance& longest = analysis.losses[0].longest;
  EXPECT_EQ(longest.rank, 0u);
  EXPECT_EQ(longest.end_ns - longest.begin_ns, 501'000);
  EXPECT_EQ(analysis.waits[0].from, 2u);
  EXPECT_EQ(analysis.waits[0].rank, 0u);
}

TEST_F(AnalysisTest, CriticalPathNamesCalls) {
  record(1, event_at(EventKind::get, 300, 400, {.peer = 2, .bytes = 5000}));  // within the put, so that it ends first
  record(1, event_at(EventKind::put, 200, 700, {.peer = 2, .bytes = 5000}));
  meet(EventKind::barrier, {100, 1000, 100, 100});
  const Analysis analysis = analysed();
  std::map<std::string, std::int64_t> calls;
  for (const PathCall& call : analysis.path_calls)
    if (call.rank == 1) calls[call.call] = call.ns;
  EXPECT_EQ(calls["put"], 500'000);
  EXPECT_EQ(calls[""], 500'000);
  std::int64_t pieces = 0;
  for (const PathPiece& piece : analysis.path_pieces) pieces += piece.end_ns - piece.begin_ns;
  EXPECT_EQ(pieces + analysis.path_transfer_ns, analysis.duration_ns);
}

TEST_F(AnalysisTest, SerialSection) {
  for (std::int64_t round = 0; round < 20; ++round) {
    const std::int64_t at = round * 1000;
    meet(EventKind::barrier, {at + 200, at + 200, at + 200, at + 200});  // all work
    meet(EventKind::barrier, {at + 900, at + 210, at + 210, at + 210});  // rank 0 works, the others have nothing to do
  }
  expect_first(analysed(), Cause::serial_section, 20 * 3 * 690, 0);
}

TEST_F(AnalysisTest, LateNotification) {
  for (std::int64_t round = 0; round < 20; ++round) {
    const std::int64_t at = round * 1000;
    record(0, event_at(EventKind::put_notify, at + 700, at + 701,
                       {.peer = 1, .segment = 3, .bytes = 100'000, .notification = 2, .value = 1}));
    record(1, event_at(EventKind::wait_some, at + 100, at + 703, {.segment = 3, .notification = 2}));
    record(1, event_at(EventKind::reset, at + 704, at + 705, {.segment = 3, .notification = 2, .value = 1}));
  }
  const Analysis analysis = analysed();
  expect_first(analysis, Cause::late_notification, 20 * 601, 0);
  EXPECT_EQ(analysis.losses[0].ranks, (std::vector<Rank>{1}));
  EXPECT_EQ(analysis.wait_states.at("Late Sender"), 20 * 601'000);
  EXPECT_EQ(analysis.traffic.at({0, 1}).bytes, 20u * 100'000);
}

// Rank 0 works long; each of the others can only begin when it has heard from the one before, and works as long as all.
TEST_F(AnalysisTest, AChainOfWaitsNamesWhoBeganIt) {
  const auto post = [&](Rank from, std::int64_t at) {
    record(from, event_at(EventKind::put_notify, at, at + 1,
                          {.peer = from + 1, .segment = 3, .bytes = 8, .notification = 2, .value = 1}));
  };
  const auto hear = [&](Rank rank, std::int64_t begin, std::int64_t end) {
    record(rank, event_at(EventKind::wait_some, begin, end, {.segment = 3, .notification = 2}));
    record(rank, event_at(EventKind::reset, end, end + 1, {.segment = 3, .notification = 2, .value = 1}));
  };
  post(0, 1000);  // instead of 100, as the others
  hear(1, 100, 1002);
  post(1, 1010);
  hear(2, 100, 1012);
  post(2, 1020);
  hear(3, 100, 1022);
  const Analysis analysis = analysed();
  expect_first(analysis, Cause::late_notification, 901 + 911 + 921);
  EXPECT_EQ(analysis.losses[0].root, 0u);
  EXPECT_NE(analysis.losses[0].sentence.find("Most of it began at rank 0"), std::string::npos)
      << analysis.losses[0].sentence;
  for (const RankWait& wait : analysis.waits) EXPECT_EQ(wait.root, 0u) << "of rank " << wait.rank;
}

// All wait in a barrier for rank 2, and that one had waited for a notification of rank 0, which then came sooner.
TEST_F(AnalysisTest, WhoKeptTheLastOneIsTheRootOfABarrier) {
  for (std::int64_t round = 0; round < 20; ++round) {
    const std::int64_t at = round * 1000;
    const std::uint32_t value = std::uint32_t(round + 1);
    record(0, event_at(EventKind::put_notify, at + 700, at + 701,
                       {.peer = 2, .segment = 3, .bytes = 8, .notification = 2, .value = value}));
    record(2, event_at(EventKind::wait_some, at + 100, at + 702, {.segment = 3, .notification = 2}));
    record(2, event_at(EventKind::reset, at + 702, at + 703, {.segment = 3, .notification = 2, .value = value}));
    meet(EventKind::barrier, {at + 710, at + 100, at + 900, at + 100});
  }
  const Analysis analysis = analysed();
  ASSERT_FALSE(analysis.losses.empty());
  EXPECT_EQ(analysis.losses[0].cause, Cause::imbalance);
  EXPECT_EQ(analysis.losses[0].culprit, 2u);
  EXPECT_EQ(analysis.losses[0].root, 0u);
  EXPECT_NE(analysis.losses[0].sentence.find("It began at rank 0: rank 2 was late because"), std::string::npos)
      << analysis.losses[0].sentence;
}

// Rank 1 is slow first and rank 2 afterwards: who waited for it before is not late because of that.
TEST_F(AnalysisTest, WhatWasWaitedForBeforeIsNoRoot) {
  meet(EventKind::barrier, {500, 1000, 500, 500});
  meet(EventKind::barrier, {1500, 1500, 2200, 1500});
  const Analysis analysis = analysed();
  ASSERT_FALSE(analysis.losses.empty());
  for (const RankWait& wait : analysis.waits) EXPECT_EQ(wait.root, wait.from);
  EXPECT_EQ(analysis.losses[0].sentence.find("began"), std::string::npos) << analysis.losses[0].sentence;
}

TEST_F(AnalysisTest, LateSenderAndLateReceiver) {
  record(0, event_at(EventKind::message, 900, 901, {.peer = 1, .bytes = 10, .value = 7}));
  record(1, event_at(EventKind::receive, 100, 902, {.peer = 0, .bytes = 10, .value = 7}));
  record(2, event_at(EventKind::message, 100, 502, {.peer = 3, .bytes = 10, .value = 7}));
  record(3, event_at(EventKind::receive, 500, 501, {.peer = 2, .bytes = 10, .value = 7}));
  const Analysis analysis = analysed();
  expect_first(analysis, Cause::late_sender, 801, 0);
  ASSERT_EQ(analysis.losses.size(), 2u);
  EXPECT_EQ(analysis.losses[1].cause, Cause::late_receiver);
  EXPECT_EQ(analysis.losses[1].ns, 400'000);
}

TEST_F(AnalysisTest, TinyPuts) {
  for (std::int64_t i = 0; i < 1000; ++i)
    record(0, event_at(EventKind::put, 10 * i, 10 * i + 5, {.peer = 1, .segment = 3, .bytes = 8, .queue = 0}));
  record(0, event_at(EventKind::queue_wait, 10'000, 10'001, {.queue = 0}));
  expect_first(analysed(), Cause::tiny_puts, 999 * 5, 1);
}

TEST_F(AnalysisTest, FewSmallPutsAreNoLoss) {
  for (std::int64_t i = 0; i < 10; ++i)
    record(0, event_at(EventKind::put, 10 * i, 10 * i + 5, {.peer = 1, .segment = 3, .bytes = 8, .queue = 0}));
  EXPECT_TRUE(analysed().losses.empty());
}

TEST_F(AnalysisTest, CompletionThatWasNotNeeded) {
  for (std::int64_t i = 0; i < 100; ++i) {
    record(2, event_at(EventKind::put, 100 * i, 100 * i + 1, {.peer = 1, .segment = 3, .bytes = 100'000, .queue = 0}));
    record(2, event_at(EventKind::queue_wait, 100 * i + 1, 100 * i + 41, {.queue = 0}));
  }
  expect_first(analysed(), Cause::remote_completion, 99 * 40);
}

TEST_F(AnalysisTest, FullQueue) {
  for (std::int64_t i = 0; i < 10; ++i) {
    Event full =
        event_at(EventKind::put, 1000 * i, 1000 * i + 2, {.peer = 1, .segment = 3, .bytes = 100'000, .queue = 0});
    full.outcome = Code::queue_full;
    record(1, full);
    record(1, event_at(EventKind::queue_wait, 1000 * i + 2, 1000 * i + 402, {.queue = 0}));
  }
  expect_first(analysed(), Cause::queue_full, 10 * 402);
}

TEST_F(AnalysisTest, StartUp) {
  for (Rank rank = 0; rank < kRanks; ++rank) record(rank, event_at(EventKind::runtime, 0, 5000));
  meet(EventKind::barrier, {5100, 5110, 5105, 5100});
  expect_first(analysed(), Cause::startup, 4 * 5000);
}

TEST_F(AnalysisTest, EfficienciesMultiply) {
  // Ranks compute 500, 500, 1000 and 500 us of 1001.
  meet(EventKind::barrier, {500, 500, 1000, 500});
  const Analysis analysis = analysed();
  EXPECT_NEAR(analysis.efficiencies.parallel, 625.0 / 1001, 0.01);
  EXPECT_NEAR(analysis.efficiencies.load_balance, 0.625, 0.01);
  EXPECT_NEAR(analysis.efficiencies.parallel, analysis.efficiencies.load_balance * analysis.efficiencies.communication,
              1e-9);
  EXPECT_NEAR(analysis.efficiencies.communication, analysis.efficiencies.serialisation * analysis.efficiencies.transfer,
              1e-9);
}

TEST_F(AnalysisTest, CriticalPathGoesToWhoeverWasWaitedFor) {
  meet(EventKind::barrier, {100, 1000, 100, 100});     // rank 1 works longest
  meet(EventKind::barrier, {1100, 1100, 1100, 3000});  // then rank 3
  const Analysis analysis = analysed();
  std::map<Rank, std::int64_t> compute;
  for (const PathShare& share : analysis.path) compute[share.rank] = share.ns[std::size_t(Activity::compute)];
  EXPECT_NEAR(double(compute[1]), 1'000'000, 50'000) << stats_text(analysis);
  EXPECT_NEAR(double(compute[3]), 2'000'000, 50'000) << stats_text(analysis);
  EXPECT_EQ(compute.size(), 2u);
}

TEST_F(AnalysisTest, CallsWithinCallsAreCountedOnce) {
  record(0, event_at(EventKind::allgather, 120, 180, {.segment = kGroup}));
  record(0, event_at(EventKind::allreduce, 100, 200, {.segment = kGroup}));
  record(0, event_at(EventKind::put, 900, 1000, {.peer = 1, .bytes = 5000}));
  const Analysis analysis = analysed();
  ASSERT_EQ(analysis.profiles.size(), 1u);
  EXPECT_EQ(analysis.profiles[0].calls_ns, 200'000);
  EXPECT_EQ(analysis.profiles[0].useful_ns, 800'000);
}

TEST_F(AnalysisTest, NumbersAreTheSameInTextAndJson) {
  meet(EventKind::barrier, {500, 500, 1000, 500});
  const Analysis analysis = analysed();
  const std::string path = directory_ + "/stats.json";
  std::ofstream(path) << stats_json(analysis);
  const std::string command = "python3 -c 'import json; s=json.load(open(\"" + path +
                              "\")); assert s[\"losses\"][0][\"ns\"]==1500000 and s[\"ranks\"]==4 and "
                              "s[\"profiles\"][2][\"calls\"][\"barrier\"][\"count\"]==1'";
  EXPECT_EQ(std::system(command.c_str()), 0) << stats_json(analysis);
  EXPECT_NE(stats_text(analysis).find("ranks 0, 1, 3 waited 1.5 ms in barrier for rank 2"), std::string::npos)
      << stats_text(analysis);
}

TEST_F(AnalysisTest, DiffNamesWhatBecameSlowerAndWhy) {
  meet(EventKind::barrier, {500, 500, 510, 500});
  const Analysis before = analysed();
  std::filesystem::remove_all(directory_);
  for (Rank rank = 0; rank < kRanks; ++rank) ranks_.push_back(open(options(rank, kRanks)));
  meet(EventKind::barrier, {500, 500, 1510, 500});
  const std::string text = diff_text(before, analysed());
  EXPECT_NE(text.find("+3 ms  imbalance before a collective: 30 us -> 3.03 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("for rank 2"), std::string::npos) << text;
}

TEST_F(AnalysisTest, CountersOfTheProgramAreCurvesOverTime) {
  constexpr EventKind kResidual = EventKind::first_user;
  constexpr KindName kNames[] = {{kResidual, EventKind::region, "residual", "user"}};
  for (auto& rank : ranks_) ASSERT_TRUE(rank->name_kinds(kNames).ok());
  for (std::int64_t at : {0, 500'000})
    for (Rank rank = 0; rank < 2; ++rank)
      record(rank, make_event(kResidual, Phase::counter, at, at, {.bytes = 100 + 50 * rank + (at > 0 ? 1000u : 0)}));
  meet(EventKind::barrier, {999, 999, 999, 999});  // to 1 ms
  const Analysis analysis = analysed();
  ASSERT_EQ(analysis.counters.size(), 1u);
  const CounterCurve& curve = analysis.counters.at("residual");
  EXPECT_EQ(curve.all.events, 4u);
  EXPECT_EQ(curve.all.least, 100u);
  EXPECT_EQ(curve.all.most, 1150u);
  EXPECT_DOUBLE_EQ(curve.all.sum, 2500);
  EXPECT_EQ(curve.bins.front().most, 150u);
  const CounterCurve::Bin& middle = curve.bins[curve.bins.size() / 2];
  EXPECT_EQ(middle.least, 1100u);
  EXPECT_EQ(middle.events, 2u);
}

TEST_F(AnalysisTest, AnEmptyTraceHasNoLosses) {
  const Analysis analysis = analysed();
  EXPECT_TRUE(analysis.losses.empty());
  EXPECT_NE(stats_text(analysis).find("No losses"), std::string::npos);
}

}  // namespace
}  // namespace polder::trace
