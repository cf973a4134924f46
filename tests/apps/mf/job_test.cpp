// Whole jobs between ranks that are threads, or fibres in virtual time: learning, models, predicting.
#include "job.hpp"

#include "apps/common/temporary_folder.hpp"
#include "model_file.hpp"
#include "rating_table.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace mf {
namespace {

constexpr double kPatience = 60;

void on_ranks(unsigned ranks, const std::function<void(const apps::Team&)>& body) {
  polder::Simulation simulation(ranks, {.device = polder::SimulatedDevice::direct});
  const Status status = simulation.run([&](polder::Runtime& runtime) { body(apps::Team(runtime, kPatience)); });
  ASSERT_TRUE(status.ok()) << status.to_string();
}

TrainOptions small() {
  TrainOptions options;
  options.generates = true;
  options.recipe = {.users = 200, .items = 120, .factors = 3, .observed = 0.4, .noise = 0.1, .seed = 5};
  options.factors = 3;
  options.training.iterations = 60;
  options.patience = kPatience;
  options.progress = false;
  return options;
}

Result<Report> run(unsigned ranks, const TrainOptions& options) {
  Result<Report> report = Status(Code::closed);
  on_ranks(ranks, [&](const apps::Team& team) {
    Result<Report> mine = train(team, options, real_time());
    if (team.rank() == 0) report = std::move(mine);
  });
  return report;
}

// One speaks, and the others are silent.
void expect_failure(unsigned ranks, const TrainOptions& options, Code code, const std::string& text) {
  std::mutex mutex;
  unsigned speakers = 0;
  on_ranks(ranks, [&](const apps::Team& team) {
    const Status status = train(team, options, real_time()).status();
    EXPECT_FALSE(status.ok());
    const std::lock_guard lock(mutex);
    if (status.message().empty()) return;
    ++speakers;
    EXPECT_EQ(status.code(), code);
    EXPECT_NE(status.message().find(text), std::string_view::npos) << status.message();
  });
  EXPECT_EQ(speakers, 1u);
}

TEST(Train, ComesNearTheLeastErrorThereIs) {
  for (const unsigned ranks : {1u, 2u, 3u, 5u}) {
    for (const polder::StaleShape shape :
         {polder::StaleShape::hypercube, polder::StaleShape::flat, polder::StaleShape::sharded}) {
      TrainOptions options = small();
      options.training.slack = 4;
      options.training.shape = shape;
      const Result<Report> report = run(ranks, options);
      ASSERT_TRUE(report.ok()) << report.status().to_string();
      EXPECT_LT(report->error_held_out, 1.25 * report->floor) << ranks;
      EXPECT_GT(report->error_held_out, 0.9 * report->floor) << ranks;
      EXPECT_FALSE(report->misses_target());
      EXPECT_LE(report->stalest, 4u);
      EXPECT_EQ(report->ranks, ranks);
    }
  }
}

TEST(Train, ByRowsOfATableComesAsNear) {
  for (const unsigned ranks : {1u, 3u, 5u}) {
    TrainOptions options = small();
    options.training.slack = 4;
    options.training.by_rows = true;
    const Result<Report> report = run(ranks, options);
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_LT(report->error_held_out, 1.25 * report->floor) << ranks;
    EXPECT_GT(report->error_held_out, 0.9 * report->floor) << ranks;
    EXPECT_LE(report->stalest, 4u);
    EXPECT_EQ(report->shape, "rows");
  }
  TrainOptions options = small();
  options.training.by_rows = true;
  options.training.rates = {.user = 9, .item = 9, .regularisation = 0};
  expect_failure(3, options, Code::limit, "smaller --rate");
}

TEST(Train, WithoutSlackTheResultIsTheSameEachTime) {
  TrainOptions options = small();
  options.training.slack = 0;
  const Result<Report> one = run(3, options), two = run(3, options);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->error_held_out, two->error_held_out);
  EXPECT_EQ(one->error_learned, two->error_learned);
  EXPECT_EQ(one->stalest, 0u);
}

TEST(Train, TheSameRatingsAreHeldOutByAnyNumberOfRanks) {
  const Result<Report> one = run(1, small()), five = run(5, small());
  ASSERT_TRUE(one.ok() && five.ok());
  EXPECT_EQ(one->held_out, five->held_out);
  EXPECT_EQ(one->learned, five->learned);
  EXPECT_NEAR(double(one->held_out) / double(one->held_out + one->learned), 0.05, 0.01);
}

TEST(Train, SlackHidesStragglers) {
  const auto reached = [](std::uint64_t slack) {
    TrainOptions options = small();
    options.training.slack = slack;
    options.training.shape = polder::StaleShape::flat;
    options.training.stragglers = {.share = 0.05, .pause = 4, .work = 1};
    polder::Simulation simulation(8, {.max_delay_ns = 10'000, .deterministic = true});
    const Time time{[&] { return double(simulation.now_ns()) * 1e-9; },
                    [&](double seconds) { simulation.sleep(std::int64_t(seconds * 1e9)); }};
    Moment moment;
    const Status status = simulation.run([&](polder::Runtime& runtime) {
      const Result<Report> report = train(apps::Team(runtime, kPatience), options, time);
      ASSERT_TRUE(report.ok()) << report.status().to_string();
      EXPECT_FALSE(report->misses_target());
      moment = report->reached;
    });
    EXPECT_TRUE(status.ok()) << status.to_string();
    return moment.seconds;
  };
  const double without = reached(0), with = reached(8);
  EXPECT_GT(without, 1.3 * with);
}

TEST(Train, ADivergingModelEndsAllWithOneSentence) {
  TrainOptions options = small();
  options.training.rates = {.user = 9, .item = 9, .regularisation = 0};
  expect_failure(3, options, Code::limit, "smaller --rate");
}

TEST(Train, AllHeldOutIsRefused) {
  TrainOptions options = small();
  options.held_out = 1;
  expect_failure(2, options, Code::invalid_argument, "--held-out");
}

TEST(Train, ATargetNeedsSomethingThatIsHeldOut) {
  TrainOptions options = small();
  options.held_out = 0;
  const Result<Report> report = run(2, options);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(report->target, 0);  // not that of generated ratings
  EXPECT_EQ(report->reached.iterations, 0);
  EXPECT_TRUE(report->curve.empty());
  options.target = 1e-9;
  expect_failure(2, options, Code::invalid_argument, "use a larger --held-out");
}

TEST(Train, AnErrorThatIsNoNumberReachesNoTarget) {
  on_ranks(2, [](const apps::Team& team) {
    RatingTable table;
    table.all_held_out = 5;
    Course course;
    course.points.push_back({.seconds = 1, .squared = std::numeric_limits<double>::quiet_NaN(), .iteration = 1});
    Report report;
    report.target = 1;
    ASSERT_TRUE(collect(team, table, course, report).ok());
    EXPECT_TRUE(report.misses_target());
    if (team.rank() == 0) {
      ASSERT_EQ(report.curve.size(), 1U);
      EXPECT_TRUE(std::isnan(report.curve[0].error));
    }
  });
}

// ---- files ----

class MfFiles : public testing::Test {
 protected:
  // As u.data, of what is generated.
  void write_ratings() const {
    std::ofstream file(folder_ / "u.data");
    for (const Rating& rating : generate(small().recipe, 0, 1))
      file << 7 * rating.user << '\t' << 1000 + rating.item << '\t' << rating.value << "\t881250949\n";
  }
  TrainOptions of_file() const {
    TrainOptions options = small();
    options.generates = false;
    options.input = folder_ / "u.data";
    options.target = 0.5;
    options.training.model = folder_ / "model";
    return options;
  }
  apps::TemporaryFolder folder_;
};

TEST_F(MfFiles, AModelIsSavedResumedAndPredicts) {
  write_ratings();
  TrainOptions options = of_file();
  options.training.iterations = 10;
  options.training.checkpoint_every = 4;
  const Result<Report> first = run(3, options);
  ASSERT_TRUE(first.ok()) << first.status().to_string();
  Result<Model> model = read_model(options.training.model);
  ASSERT_TRUE(model.ok()) << model.status().to_string();
  EXPECT_EQ(model->iterations, 10u);
  EXPECT_EQ(model->users.size(), 200u);
  EXPECT_EQ(model->users.front(), 7u);

  // By another number of ranks; it begins where it was.
  options.resume = options.training.model;
  options.training.iterations = 0;
  const Result<Report> same = run(2, options);
  ASSERT_TRUE(same.ok()) << same.status().to_string();
  EXPECT_NEAR(same->error_held_out, first->error_held_out, 1e-12);
  options.training.iterations = 50;
  const Result<Report> more = run(2, options);
  ASSERT_TRUE(more.ok()) << more.status().to_string();
  EXPECT_EQ(more->iterations, 60u);
  EXPECT_LT(more->error_learned, 0.9 * first->error_learned);
  EXPECT_LT(more->error_held_out, 0.14);

  model = read_model(options.training.model);
  ASSERT_TRUE(model.ok());
  apps::write_file(folder_ / "wanted", "7\t1001\n1400\t1120\n1\t1001\n");
  on_ranks(2, [&](const apps::Team& team) {
    const Result<Predicted> predicted =
        predict(team, {options.training.model, folder_ / "wanted", folder_ / "out", kPatience});
    ASSERT_TRUE(predicted.ok()) << predicted.status().to_string();
    EXPECT_EQ(predicted->lines, 3u);
    EXPECT_EQ(predicted->unknown, 1u);
  });
  std::istringstream out(apps::read_file(folder_ / "out"));
  double user = 0, item = 0, value = 0;
  out >> user >> item >> value;
  EXPECT_EQ(user, 7);
  EXPECT_EQ(item, 1001);
  EXPECT_NEAR(value, model->mean + product(model->user_factors[0], model->item_factors[0]), 1e-5);
  out >> user >> item >> value >> user >> item >> value;
  EXPECT_NEAR(value, model->mean, 1e-5);
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"model", "out", "u.data", "wanted"}));
}

TEST_F(MfFiles, ACheckpointIsThereBeforeTheEnd) {
  write_ratings();
  TrainOptions options = of_file();
  options.training.iterations = 10;
  options.training.checkpoint_every = 4;
  ASSERT_TRUE(run(2, options).ok());
  options.resume = options.training.model;
  options.training.rates = {.user = 10, .item = 10, .regularisation = 0};
  options.training.checkpoint_every = 1;  // what it has saved before it fails stays
  expect_failure(2, options, Code::limit, "smaller --rate");
  const Result<Model> model = read_model(options.training.model);
  ASSERT_TRUE(model.ok()) << model.status().to_string();
  EXPECT_GE(model->iterations, 10u);
}

TEST_F(MfFiles, WhatIsNoModelIsRefused) {
  write_ratings();
  TrainOptions options = of_file();
  options.training.iterations = 2;
  ASSERT_TRUE(run(2, options).ok());
  const std::string whole = apps::read_file(options.training.model);
  options.resume = folder_ / "other";
  options.training.model.clear();
  for (const std::string& bytes : {std::string(), whole.substr(0, 30), whole.substr(0, whole.size() - 8), whole + "x",
                                   "x" + whole.substr(1), std::string(200, 'a')}) {
    apps::write_file(folder_ / "other", bytes);
    expect_failure(2, options, Code::invalid_argument, "is no model of this program");
  }
  // Each byte of the head is checked.
  for (std::size_t at = 0; at < 56; ++at) {
    std::string changed = whole;
    changed[at] = char(changed[at] ^ 0x40);
    apps::write_file(folder_ / "other", changed);
    EXPECT_FALSE(read_model(folder_ / "other").ok()) << at;
  }
  apps::write_file(folder_ / "other", whole);
  apps::write_file(folder_ / "u.data", "7\t1001\t1\n14\t1001\t2\n21\t1002\t2\n");
  options.held_out = options.target = 0;
  expect_failure(2, options, Code::invalid_argument, "other users or items");
}

TEST_F(MfFiles, AWrongLineIsNamed) {
  std::string text;
  for (int i = 1; i <= 100; ++i) text += std::to_string(i) + "::5::" + (i == 73 ? "much" : "3") + "::1\n";
  apps::write_file(folder_ / "u.data", text);
  for (const unsigned ranks : {1u, 4u}) expect_failure(ranks, of_file(), Code::invalid_argument, "line 73, column 8");
  apps::write_file(folder_ / "u.data", "");
  expect_failure(2, of_file(), Code::invalid_argument, "is empty");
  apps::write_file(folder_ / "u.data", "1 2 3\n");
  expect_failure(2, of_file(), Code::invalid_argument, "separators");
  EXPECT_EQ(folder_.names(), std::set<std::string>{"u.data"});
}

}  // namespace
}  // namespace mf
