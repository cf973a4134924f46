// Whole jobs: options, results, memory, and ranks that die.
#include "job.hpp"

#include "apps/common/temporary_folder.hpp"
#include "memory.hpp"
#include "ranks.hpp"
#include "result_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

namespace fmm {
namespace {

using apps::read_file;
using apps::TemporaryFolder;
using apps::write_file;

class JobTest : public testing::Test {
 protected:
  JobTest() {
    options_.recipe = {Shape::cube, Charges::equal, 1200, 1};
    options_.samples = 200;
    options_.quiet = true;
    options_.patience = kPatience;
  }

  std::vector<Status> run(unsigned ranks) {
    std::vector<Status> outcomes(ranks);
    on_ranks(ranks, [&](Team& team) {
      const Result<JobReport> report = run_job(team, options_);
      outcomes[team.rank()] = report.status();
      if (report.ok() && team.rank() == 0) report_ = *report;
    });
    return outcomes;
  }
  void expect_success(unsigned ranks) {
    for (const Status& status : run(ranks)) ASSERT_TRUE(status.ok()) << status.to_string();
  }
  // Every rank fails, exactly one says why, and nothing is left behind.
  void expect_failure(unsigned ranks, const std::string& text) {
    const std::set<std::string> before = folder_.names();
    int speakers = 0;
    for (const Status& status : run(ranks)) {
      EXPECT_FALSE(status.ok());
      if (status.message().empty()) continue;
      ++speakers;
      EXPECT_NE(status.message().find(text), std::string_view::npos) << status.message();
    }
    EXPECT_EQ(speakers, 1);
    EXPECT_EQ(folder_.names(), before);
  }

  TemporaryFolder folder_;
  Options options_;
  JobReport report_;
};

TEST_F(JobTest, ReportsOrderErrorAndTheTimeOfDirectSummation) {
  for (const unsigned ranks : {1u, 3u}) {
    expect_success(ranks);
    const StepReport& last = report_.last();
    EXPECT_EQ(report_.particles, 1200u);
    EXPECT_EQ(report_.ranks, ranks);
    EXPECT_EQ(last.accuracy.samples, 200u);
    EXPECT_LE(last.accuracy.larger(), 1e-5);
    EXPECT_GT(report_.direct_seconds(), 0);
    EXPECT_GT(report_.bytes_per_particle(), 100);
    EXPECT_NE(to_table(report_).find("reached"), std::string::npos);
    EXPECT_NE(to_json(report_).find("\"body_pairs\""), std::string::npos);
  }
}

TEST_F(JobTest, RaisesTheOrderUntilTheSampleIsRight) {
  options_.recipe = {Shape::plummer, Charges::mixed, 3000, 5};
  options_.accuracy = 1e-7;
  expect_success(2);
  EXPECT_LE(report_.last().accuracy.larger(), 1e-7);
}

TEST_F(JobTest, AGivenOrderIsKeptAndAMissedAccuracySaidSo) {
  options_.recipe = {Shape::cube, Charges::equal, 6000, 1};
  options_.order = 2;
  expect_success(2);
  ASSERT_EQ(report_.steps.size(), 1u);
  EXPECT_EQ(report_.last().order, 2u);
  EXPECT_NE(to_table(report_).find("NOT reached"), std::string::npos);
}

TEST_F(JobTest, StepsMoveTheParticles) {
  options_.steps = 4;
  options_.order = 12;
  options_.time_step = 1e-3;
  options_.output = folder_ / "moved";
  expect_success(3);
  EXPECT_EQ(report_.steps.size(), 4u);
  EXPECT_EQ(report_.steps[1].accuracy.samples, 0u);
  EXPECT_LE(report_.last().accuracy.larger(), 1e-5);
  options_.time_step = 0;
  options_.output = folder_ / "stayed";
  expect_success(3);
  EXPECT_NE(read_file(folder_ / "moved"), read_file(folder_ / "stayed"));
}

std::vector<double> numbers_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<double> numbers;
  for (double number; stream >> number;) numbers.push_back(number);
  return numbers;
}

TEST_F(JobTest, WritesPotentialsAndForcesInTheOrderOfTheInput) {
  options_.input = folder_ / "in";
  options_.output = folder_ / "out";
  write_file(options_.input, "0 0 0 1\n2 0 0 -3\n0 4 0 5\n");
  for (const unsigned ranks : {1u, 2u, 4u}) {
    expect_success(ranks);
    const std::vector<double> out = numbers_in(read_file(options_.output));
    ASSERT_EQ(out.size(), 12u);
    EXPECT_NEAR(out[0], -3.0 / 2 + 5.0 / 4, 1e-10);
    EXPECT_NEAR(out[1], 1 * -3 * -2.0 / 8, 1e-10);  // attracted by the second
    EXPECT_NEAR(out[2], 1 * 5 * -4.0 / 64, 1e-10);  // repelled by the third
    EXPECT_NEAR(out[4], 1.0 / 2 + 5 / std::sqrt(20.0), 1e-10);
    EXPECT_NEAR(out[8], 1.0 / 4 - 3 / std::sqrt(20.0), 1e-10);
  }
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"in", "out"}));
}

TEST_F(JobTest, TextAndBinaryResultsAgree) {
  options_.output = folder_ / "out.txt";
  expect_success(3);
  options_.output = folder_ / "out.bin";
  expect_success(3);
  const std::vector<double> text = numbers_in(read_file(folder_ / "out.txt"));
  const std::string bytes = read_file(folder_ / "out.bin");
  ASSERT_EQ(text.size(), 4800u);
  ASSERT_EQ(bytes.size(), 4800 * sizeof(double));
  std::vector<double> binary(4800);
  std::memcpy(binary.data(), bytes.data(), bytes.size());
  EXPECT_LT(relative_error(text, binary), 1e-6);
}

TEST_F(JobTest, RefusesWhatCannotBe) {
  options_.memory = 1000;
  expect_failure(3, "particles need up to");
  options_.memory = 0;
  options_.kernels = "abacus";
  expect_failure(2, "no 'abacus' kernels");
  options_.kernels.clear();
  options_.output = folder_ / "nowhere/out";
  expect_failure(2, "nowhere");
  options_.output = folder_ / ".";
  expect_failure(2, "not a regular file");
  options_.output = folder_ / "out";
  options_.input = folder_ / "missing";
  expect_failure(2, "No such file");
  options_.input = folder_ / "empty";
  write_file(options_.input, "# nothing\n");
  expect_failure(2, "has no particles");
  write_file(options_.input, "1 1 1 1\n1 1 1 2\n");
  expect_failure(2, "particles 0 and 1 are at the same place");
}

TEST_F(JobTest, AFailureLeavesTheOldOutput) {
  options_.output = folder_ / "out";
  options_.memory = 1000;
  write_file(options_.output, "old");
  expect_failure(2, "need up to");
  EXPECT_EQ(read_file(options_.output), "old");
}

TEST_F(JobTest, OutputReplacesWhatWasThere) {
  options_.output = folder_ / "out.bin";
  write_file(options_.output, "old");
  expect_success(2);
  EXPECT_EQ(read_file(options_.output).size(), 1200 * 32u);
  EXPECT_EQ(folder_.names(), std::set<std::string>{"out.bin"});
}

TEST(Memory, BoundGrowsWithParticlesAndHoldsWhatIsUsed) {
  const MemoryNeed small{1000, 2, 64, 88}, large{1'000'000, 2, 64, 88};
  EXPECT_LT(memory_bound(small), memory_bound(large));
  EXPECT_GT(memory_bound(large), 1'000'000u * 300);
}

TEST_F(JobTest, UsesNoMoreThanTheBound) {
  for (const Shape shape : {Shape::cube, Shape::plummer}) {
    options_.recipe = {shape, Charges::equal, 20'000, 1};
    expect_success(2);
    EXPECT_LE(report_.last().bytes, 2 * report_.memory_bound);
  }
}

// A rank that dies in the middle: the others end with an error, and nothing of an output is left.
class Deaths : public JobTest, public testing::WithParamInterface<polder::SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, Deaths,
                         testing::Values(polder::SimulatedDevice::direct, polder::SimulatedDevice::network));

TEST_P(Deaths, EndTheOthersWithAnError) {
  options_.recipe = {Shape::plummer, Charges::equal, 3000, 1};
  options_.steps = 1'000'000;  // until the death
  options_.samples = 0;
  options_.output = folder_ / "out";
  for (const int after_ms : {20, 60, 150}) {
    polder::Simulation simulation(3, {.device = GetParam(), .detection_ns = 5'000'000, .runtime = {}});
    std::atomic<int> errors{0};
    std::jthread killer;
    std::once_flag once;
    const Status status = simulation.run([&](polder::Runtime& runtime) {
      std::call_once(once, [&] {
        killer = std::jthread([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
          simulation.kill(1);
        });
      });
      Team team(runtime, kPatience);
      const Result<JobReport> report = run_job(team, options_);
      EXPECT_FALSE(report.ok());
      errors += runtime.rank() != 1 && !report.status().message().empty() ? 1 : 0;
    });
    ASSERT_TRUE(status.ok()) << status.to_string();
    EXPECT_GE(errors, 1);
    EXPECT_TRUE(folder_.names().empty());
  }
}

}  // namespace
}  // namespace fmm
