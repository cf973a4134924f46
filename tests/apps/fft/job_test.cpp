// Whole jobs between ranks that are threads: files in, a file out, and everything that is refused.
#include "job.hpp"

#include "apps/common/temporary_folder.hpp"
#include "common/npy.hpp"
#include "field.hpp"
#include "sample_check.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace fft {
namespace {

class FftJob : public testing::Test {
 protected:
  std::string write_field(const std::string& name, const apps::Shape& shape, std::vector<double> values) const {
    values.resize(*apps::elements_of(shape));
    const std::string data(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    apps::write_file(folder_ / name, apps::npy_head(apps::Number::float64, shape) + data);
    return folder_ / name;
  }
  Options options_for(const std::string& input) const {
    Options options;
    options.input = input;
    options.output = folder_ / "out.npy";
    options.progress = false;
    options.patience = 60;
    options.tuning.pieces = 3;
    return options;
  }
  Result<Report> run(unsigned ranks, const Options& options) const {
    Result<Report> outcome = Status(Code::closed);
    std::mutex mutex;
    polder::Simulation simulation(ranks, {.device = polder::SimulatedDevice::direct});
    const Status status = simulation.run([&](polder::Runtime& runtime) {
      Result<Report> mine = run_job(apps::Team(runtime, options.patience), options);
      const std::lock_guard lock(mutex);
      if (mine.ok() || !mine.status().message().empty()) outcome = std::move(mine);
    });
    EXPECT_TRUE(status.ok()) << status.to_string();
    return outcome;
  }
  void expect_refusal(const Options& options, const std::string& why) const {
    const Result<Report> report = run(3, options);
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.status().message().find(why), std::string_view::npos) << report.status().message();
    EXPECT_FALSE(folder_.names().contains("out.npy"));
    for (const std::string& name : folder_.names()) EXPECT_EQ(name.find("partial"), std::string::npos) << name;
  }
  std::vector<Complex> elements(const std::string& name, std::size_t head) const {
    const std::string bytes = apps::read_file(folder_ / name).substr(head);
    std::vector<Complex> all(bytes.size() / sizeof(Complex));
    std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Complex));
    return all;
  }

  apps::TemporaryFolder folder_;
};

TEST_F(FftJob, ThereAndBackIsTheSame) {
  std::vector<double> values(5 * 4 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i * i % 17);
  Options there = options_for(write_field("in.npy", {5, 4, 3}, values));
  for (const Grid grid : {Grid{4, 1}, Grid{2, 2}}) {
    there.grid = grid;
    const auto report = run(4, there);
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_FALSE(report->wrong()) << report->error << " of " << report->bound;
    EXPECT_GT(report->samples, 0u);
    const std::string bytes = apps::read_file(there.output);
    const auto head = apps::read_npy_head("out.npy", std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(head.ok());
    EXPECT_EQ(head->shape, (apps::Shape{5, 4, 3}));
    EXPECT_EQ(head->number, apps::Number::complex128);
    double sum = 0;
    for (const double value : values) sum += value;
    EXPECT_NEAR(elements("out.npy", head->data_at)[0].real(), sum, 1e-10) << "frequency 0";
    // And back, into a raw file.
    Options back = options_for(there.output);
    back.inverse = true;
    back.output = folder_ / "back";
    ASSERT_TRUE(run(3, back).ok());
    const auto same = elements("back", 0);
    ASSERT_EQ(same.size(), values.size());
    for (std::size_t i = 0; i < same.size(); ++i) EXPECT_NEAR(std::abs(same[i] - values[i]), 0, 1e-12) << i;
    Options raw = options_for(folder_ / "back");
    raw.extents = Extents{5, 4, 3};
    raw.output.clear();
    EXPECT_TRUE(run(2, raw).ok());
  }
}

TEST_F(FftJob, AWrongResultIsNoticed) {
  const Field field = Field::made_up({6, 5, 4}, 1);
  const Share share({6, 5, 4}, {1, 1}, 0);
  std::vector<Complex> wrong(share.room_of_result());
  EXPECT_GT(sampled_error(field, share, wrong.data(), false, 3, 1), rounding_bound({6, 5, 4}));
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::ranges::fill(wrong, value);
    EXPECT_EQ(sampled_error(field, share, wrong.data(), false, 3, 1), std::numeric_limits<double>::infinity());
  }
}

// Their squares are no numbers.
TEST_F(FftJob, LargeAndSmallElementsAreCheckedAsOthersAre) {
  for (const double size : {1e200, 1e-200}) {
    std::vector<double> values(6 * 5 * 4);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = size * double(i * i % 17);
    const Options options = options_for(write_field("in.npy", {6, 5, 4}, values));
    const auto report = run(1, options);
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_FALSE(report->wrong()) << report->error << " of " << report->bound;
    const auto field = Field::open(options.input);
    ASSERT_TRUE(field.ok());
    const Share share({6, 5, 4}, {1, 1}, 0);
    const std::vector<Complex> nothing(share.room_of_result());
    EXPECT_GT(sampled_error(*field, share, nothing.data(), false, 3, 1), rounding_bound({6, 5, 4}));
  }
}

TEST_F(FftJob, BadInputIsNamed) {
  expect_refusal(options_for(write_field("flat.npy", {5, 4}, {})), "flat.npy' has the shape (5, 4), not three extents");
  expect_refusal(options_for(write_field("none.npy", {5, 0, 4}, {})), "none.npy' has nothing in it: 5 x 0 x 4");
  expect_refusal(options_for(folder_ / "missing.npy"), "missing.npy");
  Options options =
      options_for(write_field("in.npy", {2, 2, 2}, {0, 1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN()}));
  expect_refusal(options, "in.npy': element (1, 0, 1) is infinite or not a number");
  const std::string bytes = apps::read_file(options.input);
  apps::write_file(options.input, bytes.substr(0, bytes.size() - 1));
  expect_refusal(options, "in.npy' is truncated");
  apps::write_file(options.input, "a field");
  expect_refusal(options, "in.npy' is no .npy file");
  options.extents = Extents{2, 2, 2};
  expect_refusal(options, "in.npy' has 7 bytes, and 2 x 2 x 2 complex numbers take 128");
}

TEST_F(FftJob, WhatDoesNotFitIsRefusedBeforeTheStart) {
  Options options = options_for({});
  options.extents = Extents{1000, 1000, 1000};
  options.memory = 1 << 30;
  expect_refusal(options, "are needed on this node, and there are 1074 MB");
  options.extents = Extents{~std::uint64_t{0}, 8, 8};
  expect_refusal(options, "more than there can be");
  options.extents = Extents{4, 4, 4};
  options.grid = Grid{2, 2};
  expect_refusal(options, "a grid of 2 x 2 for 3 ranks");
  options.grid.reset();
  options.output = folder_ / "no/out.npy";
  expect_refusal(options, "no/out.npy");
}

TEST(FftGrid, SlabsAsLongAsThereArePlanes) {
  const auto grid = [](Cut cut, const Extents& extents, unsigned ranks) {
    const Grid found = fitting_grid(cut, extents, ranks);
    return std::pair(found.rows, found.columns);
  };
  EXPECT_EQ(grid(Cut::fitting, {64, 64, 64}, 12), std::pair(12U, 1U));
  EXPECT_EQ(grid(Cut::fitting, {8, 64, 64}, 12), std::pair(4U, 3U));
  EXPECT_EQ(grid(Cut::pencils, {64, 64, 64}, 7), std::pair(7U, 1U));
  EXPECT_EQ(grid(Cut::slabs, {2, 2, 2}, 12), std::pair(12U, 1U));
}

}  // namespace
}  // namespace fft
