// Sorts whose ranks are threads, or fibres in virtual time, and die: the output is the input in order, or all say why there is none.
#include "spares/spared_job.hpp"

#include "core/seeds.hpp"
#include "generate.hpp"
#include "sample.hpp"
#include "solo_team.hpp"
#include "temporary_folder.hpp"
#include "validate.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace terasort {
namespace {

struct Ended {
  Status began;                      // of making the runtimes
  unsigned good = 0;                 // ranks that succeeded
  std::optional<SortReport> report;  // of the rank that speaks
  std::vector<std::string> errors;   // texts, of those that have one
  std::size_t deaths = 0;            // after which others went on
};

// Calls of a rank, by step: whether it is to die there.
using Deadly = std::function<bool(polder::Rank rank, Step step)>;

class SparedSort : public testing::Test {
 protected:
  SparedSort() {
    options_.input = folder_ / "in";
    options_.output = folder_ / "out";
    options_.progress = false;
    options_.buffer_bytes = 2000;  // 20 records: many messages
    options_.chunk_bytes = 7000;
    options_.patience = 60;
  }

  void generate_input(std::uint64_t records, Keys keys = Keys::uniform) {
    SoloTeam team;
    ASSERT_TRUE(generate(team, options_.input, {.records = records, .keys = keys}).ok());
    const Result<Summary> before = summarize(options_.input, 1);
    ASSERT_TRUE(before.ok());
    before_ = *before;
  }

  Ended sort(polder::Simulation& simulation, unsigned spares, const Deadly& deadly = {}) {
    Ended ended;
    std::mutex mutex;
    ended.began = simulation.run([&](polder::Runtime& runtime) {
      SparedOptions options{.sort = options_, .spares = spares};
      const polder::Rank me = runtime.rank();
      if (deadly)
        options.at_step = [&, me](Step step) {
          if (deadly(me, step)) simulation.kill(me);
        };
      const SparedOutcome outcome = sort_with_spares(runtime, options);
      const std::lock_guard lock(mutex);
      ended.good += outcome.status.ok();
      if (outcome.report) ended.report = outcome.report;
      if (outcome.status.ok()) ended.deaths = std::max(ended.deaths, outcome.recoveries.size());
      if (!outcome.status.message().empty()) ended.errors.emplace_back(outcome.status.message());
    });
    return ended;
  }

  void expect_sorted(const std::string& what) {
    const Result<Summary> after = summarize(options_.output, 1);
    ASSERT_TRUE(after.ok()) << what << ": " << after.status().to_string();
    EXPECT_TRUE(after->ordered()) << what;
    EXPECT_TRUE(after->same_records(before_)) << what;
    const std::set<std::string> names = folder_.names();
    EXPECT_EQ(names, (std::set<std::string>{"in", "out"})) << what;
    std::filesystem::remove(options_.output);
  }
  void remove_all() {
    for (const std::string& name : folder_.names())
      if (name != "in") std::filesystem::remove(folder_ / name);
  }
  void expect_nothing() {
    for (const std::string& name : folder_.names()) EXPECT_EQ(name, "in");
  }

  TemporaryFolder folder_;
  SortOptions options_;
  Summary before_;
};

// Each of those ranks dies the first time that it comes there.
Deadly once(std::vector<std::pair<polder::Rank, Step>> deaths) {
  auto left = std::make_shared<std::map<polder::Rank, Step>>();
  for (const auto& [rank, step] : deaths) left->emplace(rank, step);
  auto mutex = std::make_shared<std::mutex>();
  return [=](polder::Rank rank, Step step) {
    const std::lock_guard lock(*mutex);
    const auto found = left->find(rank);
    if (found == left->end() || found->second != step) return false;
    left->erase(found);
    return true;
  };
}

TEST_F(SparedSort, SortsUndisturbedWithAnyNumberOfMembersAndSpares) {
  for (const Keys keys : {Keys::uniform, Keys::equal})
    for (const unsigned members : {1U, 2U, 5U}) {
      generate_input(2000, keys);
      polder::Simulation simulation(members + 2, {.device = polder::SimulatedDevice::direct});
      const Ended ended = sort(simulation, 2);
      EXPECT_EQ(ended.good, members + 2);
      ASSERT_TRUE(ended.report);
      EXPECT_EQ(ended.report->ranks, members);
      EXPECT_EQ(ended.deaths, 0U);
      expect_sorted(std::to_string(members) + " members");
    }
}

TEST_F(SparedSort, OutlivesARankThatDiesAtAnyStep) {
  generate_input(1500);
  for (std::size_t step = 0; step < kStepNames.size(); ++step)
    for (const polder::Rank victim : {0U, 2U}) {
      polder::Simulation simulation(4, {.device = polder::SimulatedDevice::direct});
      const Ended ended = sort(simulation, 1, once({{victim, Step(step)}}));
      const std::string what = std::string(kStepNames[step]) + " " + std::to_string(victim);
      EXPECT_EQ(ended.good, 3U) << what;
      ASSERT_TRUE(ended.report) << what;
      EXPECT_EQ(ended.deaths, 1U) << what;
      expect_sorted(what);
    }
}

TEST_F(SparedSort, OutlivesTwoRanksAndASpareThatHadJustBegun) {
  generate_input(1500);
  const std::vector<std::vector<std::pair<polder::Rank, Step>>> rounds = {
      {{0, Step::half_shuffled}, {1, Step::half_shuffled}},
      {{1, Step::half_shuffled}, {2, Step::written}},
      {{1, Step::written}, {3, Step::sample}},
      {{1, Step::shuffled}, {3, Step::half_shuffled}},
      {{0, Step::named}, {3, Step::sample}},
      {{2, Step::sorting}, {3, Step::shuffled}},
      {{0, Step::agreed}, {3, Step::written}},
  };
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    polder::Simulation simulation(5, {.device = polder::SimulatedDevice::direct});
    const Ended ended = sort(simulation, 2, once(rounds[round]));
    ASSERT_TRUE(ended.report) << round;
    expect_sorted("round " + std::to_string(round));
  }
}

TEST_F(SparedSort, BeginsAnewWhereAllMembersDieAtOnce) {
  generate_input(600);
  polder::Simulation simulation(4, {.device = polder::SimulatedDevice::direct});
  const Ended ended = sort(simulation, 2, once({{0, Step::shuffle}, {1, Step::shuffle}}));
  EXPECT_EQ(ended.good, 2U);
  ASSERT_TRUE(ended.report);
  std::filesystem::remove(options_.input);
  std::set<std::string> names = folder_.names();  // nobody was left who knew of the first partial file
  EXPECT_EQ(names.count("out"), 1U);
  EXPECT_LE(names.size(), 2U);
}

// In virtual time, at moments that seeds draw, over devices on which what was sent is still on its way.
TEST_F(SparedSort, OutlivesRanksThatDieAtAnyMoment) {
  generate_input(400);
  unsigned began = 0, disturbed = 0;
  polder::test::run_seeds(0, 1, 240, [&](std::uint64_t seed) {
    const unsigned kills = 1 + seed % 2;
    polder::SimulationOptions virtual_time{.seed = seed, .max_delay_ns = 5000};
    virtual_time.device = seed % 3 == 0   ? polder::SimulatedDevice::messages
                          : seed % 3 == 1 ? polder::SimulatedDevice::network
                                          : polder::SimulatedDevice::direct;
    virtual_time.deterministic = true;
    const bool quick = virtual_time.device == polder::SimulatedDevice::direct;
    virtual_time.detection_ns = 20'000;
    virtual_time.faults = {.kills = kills, .within_ns = quick ? 70'000 : 500'000};
    polder::Simulation simulation(3 + kills, virtual_time);
    const Ended ended = sort(simulation, kills);
    if (!ended.began.ok()) return remove_all();  // a rank died before there was a job
    ++began;
    // There may be no report: of a rank that died when all was done.
    ASSERT_GT(ended.good, 0U) << (ended.errors.empty() ? "" : ended.errors[0]);
    disturbed += ended.deaths > 0;
    expect_sorted("seed " + std::to_string(seed));
  });
  EXPECT_GE(2 * disturbed, began);
}

TEST_F(SparedSort, SaysWhoIsGoneWhereNoSpareIsLeft) {
  generate_input(600);
  polder::Simulation simulation(4, {.device = polder::SimulatedDevice::direct});
  const Ended ended = sort(simulation, 1, once({{1, Step::half_shuffled}, {2, Step::shuffled}}));
  EXPECT_EQ(ended.good, 0U);
  ASSERT_FALSE(ended.errors.empty());
  EXPECT_TRUE(std::ranges::any_of(ended.errors, [](const std::string& text) {
    return text.find("no spare is left") != std::string::npos;
  })) << ended.errors[0];
  expect_nothing();
}

TEST_F(SparedSort, AnErrorOfOneIsToldOnceAndLeavesNothing) {
  generate_input(600);
  const SortOptions right = options_;
  const auto expect_refused = [&](const std::string& text) {
    polder::Simulation simulation(4, {.device = polder::SimulatedDevice::direct});
    const Ended ended = sort(simulation, 1);
    EXPECT_EQ(ended.good, 0U);
    ASSERT_EQ(ended.errors.size(), 1U) << text;
    EXPECT_NE(ended.errors[0].find(text), std::string::npos) << ended.errors[0];
    expect_nothing();
    options_ = right;
  };
  options_.input = folder_ / "nothing";
  expect_refused("No such file");
  options_.output = folder_ / "nowhere/out";
  expect_refused("nowhere");
  options_.memory = 1000;
  expect_refused("needs up to");
}

// Member 0 has sent all it has, nothing, when what comes from member 1 does not fit: the sample, which sees the first 40 of 50
// records, has seen nothing of it. Member 1 waits then for slots that are emptied no more.
TEST_F(SparedSort, ARankThatOverflowsLateIsHeardByASlowerOne) {
  constexpr std::uint64_t kPart = kSamplesPerRank / 40 * 50;
  std::string bytes(2 * kPart * kRecordBytes, '\0');
  for (std::uint64_t i = kPart; i < 2 * kPart; ++i)
    bytes[i * kRecordBytes] = i >= kPart * 3 / 2 && i % 50 >= 40 ? 0 : 1;
  write_file(options_.input, bytes);
  options_.headroom = 1;
  polder::Simulation simulation(3, {.device = polder::SimulatedDevice::direct, .deterministic = true});
  const Ended ended = sort(simulation, 1, [&](polder::Rank rank, Step step) {
    if (rank == 1 && step == Step::half_shuffled) simulation.sleep(1'000'000'000);
    return false;
  });
  ASSERT_TRUE(ended.began.ok()) << ended.began.to_string();
  EXPECT_EQ(ended.good, 0U);
  ASSERT_EQ(ended.errors.size(), 1U);
  EXPECT_NE(ended.errors[0].find("--headroom"), std::string::npos) << ended.errors[0];
  expect_nothing();
}

}  // namespace
}  // namespace terasort
