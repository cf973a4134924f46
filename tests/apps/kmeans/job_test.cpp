// Whole jobs between ranks that are threads, or fibres in virtual time: the same bits for any number of ranks and whoever dies.
#include "job.hpp"

#include "apps/common/temporary_folder.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kmeans {
namespace {

constexpr double kPatience = 60;

struct Ended {
  Status began;                     // of making the runtimes
  std::optional<Report> report;     // of the rank that speaks
  std::vector<std::string> errors;  // texts, of those that have one
  unsigned silent = 0;              // ranks that failed without a text
};

Ended run_in(polder::Simulation& simulation, const std::function<Options(polder::Rank)>& options) {
  Ended ended;
  std::mutex mutex;
  ended.began = simulation.run([&](polder::Runtime& runtime) {
    bool speaks = false;
    const Result<Report> report = run_job(runtime, options(runtime.rank()), speaks);
    const std::lock_guard lock(mutex);
    if (report.ok() && speaks) ended.report = *report;
    if (report.ok()) return;
    if (report.status().message().empty())
      ++ended.silent;
    else
      ended.errors.emplace_back(report.status().message());
  });
  return ended;
}

Ended run(unsigned ranks, const Options& options) {
  polder::Simulation simulation(ranks, {.device = polder::SimulatedDevice::direct});
  return run_in(simulation, [&](polder::Rank) { return options; });
}

class KmeansJob : public ::testing::Test {
 protected:
  Options small() const {
    Options options;
    options.source.recipe = {.points = 700, .dims = 3, .clouds = 12, .spread = 1, .seed = 4};
    options.clusters = 12;
    options.centroids = folder_ / "c.npy";
    options.labels = folder_ / "l.npy";
    options.progress = false;
    options.patience = kPatience;
    return options;
  }
  // Centroids and labels, all bytes; the files are gone then.
  std::string results() {
    std::string bytes = apps::read_file(folder_ / "c.npy") + apps::read_file(folder_ / "l.npy");
    std::filesystem::remove(folder_ / "c.npy");
    std::filesystem::remove(folder_ / "l.npy");
    return bytes;
  }
  void expect_refused(unsigned ranks, const Options& options, const std::string& text) {
    const Ended ended = run(ranks, options);
    ASSERT_EQ(ended.errors.size(), 1U);
    EXPECT_NE(ended.errors[0].find(text), std::string::npos) << ended.errors[0];
    EXPECT_EQ(ended.silent, ranks - 1);
  }

  apps::TemporaryFolder folder_;
};

TEST_F(KmeansJob, HasTheSameBitsWithAnyNumberOfRanks) {
  for (const Start start : {Start::random, Start::plusplus, Start::oversampled}) {
    Options options = small();
    options.start = start;
    const Ended alone = run(1, options);
    ASSERT_TRUE(alone.report) << alone.errors.at(0);
    EXPECT_TRUE(alone.report->converged);
    const std::string expected = results();
    EXPECT_EQ(expected.size(), 128 + 12 * 3 * 8 + 128 + 700 * 4U);
    for (const unsigned ranks : {2U, 5U}) {
      const Ended together = run(ranks, options);
      ASSERT_TRUE(together.report);
      EXPECT_EQ(together.report->inertia, alone.report->inertia);
      EXPECT_EQ(together.report->iterations, alone.report->iterations);
      EXPECT_EQ(results(), expected) << ranks << " ranks";
    }
  }
}

TEST_F(KmeansJob, FindsCloudsThatLieApart) {
  Options options = small();
  options.source.recipe.spread = 0.01;
  options.start = Start::plusplus;
  const Ended ended = run(3, options);
  ASSERT_TRUE(ended.report);
  EXPECT_NEAR(ended.report->inertia, 700 * 3 * 0.01 * 0.01, 0.05);
}

// Squares of distances for which the factor that makes them whole numbers is no number.
TEST_F(KmeansJob, StartsAsWellWithTinyCoordinates) {
  std::string points;
  for (int i = 0; i < 20; ++i) points += "0,0\n1e-150,2e-150\n";
  apps::write_file(folder_ / "p.csv", points);
  Options options = small();
  options.source.path = folder_ / "p.csv";
  options.clusters = 2;
  options.start = Start::plusplus;
  options.stop.iterations = 0;
  for (options.seed = 1; options.seed <= 8; ++options.seed) {
    const Ended ended = run(2, options);
    ASSERT_TRUE(ended.report) << ended.errors.at(0);
    const std::string bytes = results();
    EXPECT_NE(bytes.substr(128, 16), bytes.substr(144, 16)) << "two centroids at one place, seed " << options.seed;
  }
}

TEST_F(KmeansJob, AClusterThatLosesAllItsPointsGetsOthers) {
  // Two of the three first centroids are the same: the second one has no point.
  apps::write_file(folder_ / "p.csv", "x,y\n0,0\n0,1\n9,9\n9,8\n5,0\n5,1\n");
  apps::write_file(folder_ / "from.csv", "0,0\n0,0\n9,9\n");
  Options options = small();
  options.source.path = folder_ / "p.csv";
  options.clusters = 3;
  options.start = Start::random;
  Options first = options;
  first.source.path = folder_ / "from.csv";
  first.stop.iterations = 0;
  first.seed = 7;
  ASSERT_TRUE(run(1, first).report);  // writes three centroids, some order of those points
  std::filesystem::rename(folder_ / "c.npy", folder_ / "from.npy");
  options.from = folder_ / "from.npy";
  const Ended alone = run(1, options);
  ASSERT_TRUE(alone.report);
  EXPECT_GE(alone.report->relocated, 1U);
  EXPECT_NEAR(alone.report->inertia, 1.5, 1e-12);
  const std::string expected = results();
  ASSERT_TRUE(run(4, options).report);
  EXPECT_EQ(results(), expected);
}

TEST_F(KmeansJob, OutlivesRanksAndHasTheSameBits) {
  const Options options = small();
  ASSERT_TRUE(run(3, options).report);
  const std::string expected = results();
  for (unsigned spares = 0; spares <= 2; ++spares) {
    polder::Simulation simulation(5, {.device = polder::SimulatedDevice::direct});
    const Ended ended = run_in(simulation, [&](polder::Rank rank) {
      Options mine = options;
      mine.spares = spares;
      mine.at_iteration = [&simulation, rank](std::uint64_t iteration) {
        if ((rank == 0 && iteration == 3) || (rank == 2 && iteration == 5)) simulation.kill(rank);
      };
      return mine;
    });
    ASSERT_TRUE(ended.report) << spares;
    EXPECT_EQ(ended.report->recoveries.size(), 2U);
    EXPECT_EQ(ended.report->ranks, 3U);
    EXPECT_EQ(results(), expected) << spares << " spares";
  }
}

// Ranks die at moments that seeds draw: while they read, choose, iterate, write, and while others recover.
TEST_F(KmeansJob, OutlivesRanksThatDieAtAnyMoment) {
  Options options = small();
  options.source.recipe.points = 200;
  options.stop = {.iterations = 25, .tolerance = -1};  // not before
  ASSERT_TRUE(run(2, options).report);
  const std::string expected = results();
  unsigned began = 0;
  std::set<std::uint64_t> moments;  // iterations from which others went on
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    polder::SimulationOptions virtual_time{.seed = seed, .max_delay_ns = 5000};
    virtual_time.deterministic = true;
    virtual_time.detection_ns = 50'000;
    virtual_time.faults = {.kills = polder::Rank(1 + seed % 2), .within_ns = 2'500'000};
    polder::Simulation simulation(4, virtual_time);
    const Ended ended = run_in(simulation, [&](polder::Rank) {
      Options mine = options;
      mine.spares = unsigned(seed % 3);
      return mine;
    });
    if (!ended.began.ok()) continue;  // a rank died before there was a job
    ++began;
    ASSERT_TRUE(ended.report) << "seed " << seed;
    EXPECT_EQ(results(), expected) << "seed " << seed;
    moments.insert(ended.report->resumed_at.begin(), ended.report->resumed_at.end());
  }
  EXPECT_GT(moments.size(), 4U);
  EXPECT_GT(began, 50U);
}

TEST_F(KmeansJob, RefusesWhatItCannotDoAndSaysWhy) {
  Options options = small();
  options.clusters = 701;
  expect_refused(2, options, "701 clusters are more than the 700 points");
  options = small();
  options.source.path = folder_ / "p.csv";
  options.clusters = 2;
  apps::write_file(folder_ / "p.csv", "a,b\n1,2\n3,4\n5,x\n7,8\n");
  expect_refused(3, options, "line 4: field 2 is no number");
  apps::write_file(folder_ / "p.csv", "1,2\n3\n5,6\n");
  expect_refused(2, options, "line 2: it has 1 numbers, and the first point has 2");
  apps::write_file(folder_ / "p.csv", "1,2\n3,nan\n5,6\n");
  expect_refused(2, options, "line 2: field 2 is not a number");
  options.source.path = folder_ / "p.raw";
  apps::write_file(folder_ / "p.raw", std::string(50, 'a'));
  expect_refused(2, options, "--dims");
  options.source.raw_dims = 3;
  expect_refused(2, options, "50 bytes, which are no whole number of points of 24 bytes");
  options = small();
  options.from = folder_ / "other.npy";
  expect_refused(2, options, "other.npy");
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"p.csv", "p.raw"}));
}

}  // namespace
}  // namespace kmeans
