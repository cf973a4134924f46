// Whole jobs between ranks that are threads: files in, a file out, and everything that is refused.
#include "job.hpp"

#include "apps/common/temporary_folder.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace contract {
namespace {

class ContractJob : public testing::Test {
 protected:
  // Element i is i + 1.
  std::string write_tensor(const std::string& name, const apps::Shape& shape) const {
    std::vector<double> values(*apps::elements_of(shape));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i + 1);
    return write_values(name, shape, values);
  }
  std::string write_values(const std::string& name, const apps::Shape& shape, const std::vector<double>& values) const {
    const std::string data(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    apps::write_file(folder_ / name, apps::npy_head(apps::Number::float64, shape) + data);
    return folder_ / name;
  }
  Options matrices() const {
    Options options;
    options.notation = "ik,kj->ij";
    options.first = write_tensor("a.npy", {5, 4});
    options.second = write_tensor("b.npy", {4, 3});
    options.output = folder_ / "c.npy";
    options.rows = options.columns = options.inner = 2;
    options.progress = false;
    options.patience = 60;
    options.threads = 1;
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
    EXPECT_FALSE(folder_.names().contains("c.npy"));
    for (const std::string& name : folder_.names()) EXPECT_EQ(name.find("partial"), std::string::npos) << name;
  }

  apps::TemporaryFolder folder_;
};

TEST_F(ContractJob, FilesBecomeAFile) {
  Options options = matrices();
  options.owners = folder_ / "owners.json";
  apps::write_file(options.owners, R"({"first": [0,1,2,2,1,0], "second": [2,0,1,1], "result": [1,1,1,0,0,2]})");
  const Result<Report> report = run(3, options);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_FALSE(report->wrong());
  EXPECT_EQ(report->distribution, "given");
  const std::string bytes = apps::read_file(options.output);
  const auto head = apps::read_npy_head("c.npy", std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(head.ok()) << head.status().to_string();
  EXPECT_EQ(head->shape, (apps::Shape{5, 3}));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double expected = 0, value = 0;
      for (std::size_t k = 0; k < 4; ++k) expected += double(i * 4 + k + 1) * double(k * 3 + j + 1);
      std::memcpy(&value, bytes.data() + head->data_at + 8 * (i * 3 + j), 8);
      EXPECT_EQ(value, expected) << i << ", " << j;
    }
  }
}

TEST_F(ContractJob, TensorsWithoutElements) {
  Options options = matrices();
  options.first = write_tensor("empty.npy", {5, 0});
  options.second = write_tensor("other.npy", {0, 3});
  const Result<Report> report = run(2, options);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  const std::string bytes = apps::read_file(options.output);
  EXPECT_EQ(bytes.substr(bytes.size() - 120), std::string(120, '\0'));
}

TEST_F(ContractJob, BadInputIsNamed) {
  Options options = matrices();
  options.second = write_tensor("b.npy", {5, 3});
  expect_refusal(options, "the index 'k' disagrees: it is 4 and, in the second operand of shape (5, 3), 5");
  options = matrices();
  const std::string whole = apps::read_file(options.first);
  apps::write_file(options.first, whole.substr(0, whole.size() - 1));
  expect_refusal(options, "a.npy' is truncated: (5, 4) of <f8 takes 288 bytes, and it has 287");
  apps::write_file(options.first, "ratings");
  expect_refusal(options, "a.npy' is no .npy file");
  apps::write_file(options.first, apps::npy_head(apps::Number::int32, {5, 4}) + std::string(80, '\0'));
  expect_refusal(options, "holds integers");
  options = matrices();
  options.first = folder_ / "none.npy";
  expect_refusal(options, "No such file");
  options = matrices();
  options.output = folder_ / "nowhere/c.npy";
  expect_refusal(options, "nowhere");
}

TEST_F(ContractJob, WhatIsNotFiniteIsRefusedOnRequestOnly) {
  Options options = matrices();
  std::vector<double> values(20, 1);
  values[13] = std::numeric_limits<double>::quiet_NaN();
  options.first = write_values("a.npy", {5, 4}, values);
  options.finite = true;
  expect_refusal(options, "a.npy': the element (3, 1) is infinite or not a number");
  options.finite = false;
  EXPECT_TRUE(run(3, options).ok());
}

TEST_F(ContractJob, MemoryAndOwnersAreCheckedFirst) {
  Options options = matrices();
  options.memory = 1 << 20;
  expect_refusal(options, "are needed on this node, and there are 2 MB");
  options = matrices();
  options.notation = "i,j->";  // the lists of its blocks would be larger than any memory
  options.made_up = {{'i', 1 << 24}, {'j', 1 << 24}};
  options.memory = 1 << 30;
  options.rows = options.columns = options.inner = 0;
  expect_refusal(options, "are needed on this node, and there are 1074 MB");
  options = matrices();
  options.owners = folder_ / "owners.json";
  apps::write_file(options.owners, R"({"first": [0,1,2,2,1], "second": [2,0,1,1], "result": [1,1,1,0,0,2]})");
  expect_refusal(options, "owners are given for 5 blocks of the first operand, which has 3 x 2 blocks");
  apps::write_file(options.owners, R"({"first": [0,1,2,2,1,0], "second": [2,0,1,3], "result": [1,1,1,0,0,2]})");
  expect_refusal(options, "block 3 of the second operand is given to rank 3");
  apps::write_file(options.owners, R"({"first": [0,1], "second": "all"})");
  expect_refusal(options, "no list of ranks named \"second\"");
}

}  // namespace
}  // namespace contract
