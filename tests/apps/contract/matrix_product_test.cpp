// The library part: products of distributed matrices over simulated devices, whole and with ranks that die.
#include "matrix_product.hpp"

#include "gather.hpp"
#include "tensor.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

namespace contract {
namespace {

struct Case {
  const char* notation;
  apps::Shape first, second;
  std::uint64_t rows, columns, inner;
};

const Case kMatrices{"ik,kj->ij", {37, 53}, {53, 29}, 7, 5, 9};

struct Setting {
  unsigned ranks = 3;
  polder::SimulationOptions simulation = {};
  Distribution distribution = Distribution::regular;
  std::uint64_t buffer_bytes = 0;
  apps::Number number = apps::Number::float64;
};

// Makes the product at every rank and checks it; `body` sees what each rank got.
void make_product(const Case& made, const Setting& setting,
                  const std::function<void(const apps::Team&, const Result<ProductNumbers>&)>& body) {
  polder::Simulation simulation(setting.ranks, setting.simulation);
  const Status status = simulation.run([&](polder::Runtime& runtime) {
    const apps::Team team(runtime, 60);
    const Tensor a = Tensor::made_up("a", setting.number, made.first, 1);
    const Tensor b = Tensor::made_up("b", setting.number, made.second, 2);
    const Result<Layout> layout = lay_out(*parse_notation(made.notation), a.shape(), b.shape());
    ASSERT_TRUE(layout.ok()) << layout.status().to_string();
    const Cut rows{layout->out.rows.extent(), made.rows}, columns{layout->out.columns.extent(), made.columns};
    const Cut inner{layout->first.columns.extent(), made.inner};
    const auto create = [&](const Cut& down, const Cut& across, std::uint64_t seed) {
      const Grid grid{layout->out.batch.extent(), down, across};
      return BlockMatrix::create(team, setting.number, grid, distribute(setting.distribution, grid, team.size(), seed));
    };
    auto first = create(rows, inner, 1), second = create(inner, columns, 2), result = create(rows, columns, 3);
    ASSERT_TRUE(first.ok() && second.ok() && result.ok());
    ASSERT_TRUE(gather_blocks(a, layout->first, true, *first).ok());
    ASSERT_TRUE(gather_blocks(b, layout->second, true, *second).ok());
    const Result<ProductNumbers> numbers =
        multiply(team, *first, *second, *result, {.buffer_bytes = setting.buffer_bytes});
    if (numbers.ok()) {
      EXPECT_LT(sampled_error(a, b, *layout, *result, 200, team.rank()),
                rounding_bound(setting.number, layout->first.columns.extent()));
    }
    body(team, numbers);
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

void expect_product(const Case& made, const Setting& setting) {
  make_product(made, setting, [](const apps::Team& /*team*/, const Result<ProductNumbers>& numbers) {
    EXPECT_TRUE(numbers.ok()) << numbers.status().to_string();
  });
}

TEST(Product, AnyRanksDistributionsAndDevices) {
  for (const unsigned ranks : {1u, 2u, 5u})
    for (const auto device : {polder::SimulatedDevice::direct, polder::SimulatedDevice::network})
      for (const Distribution how : {Distribution::regular, Distribution::random, Distribution::cyclic})
        expect_product(kMatrices, {.ranks = ranks, .simulation = {.device = device}, .distribution = how});
}

TEST(Product, AnyIndices) {
  const Case cases[] = {{"abcd,cdij->abij", {4, 3, 5, 2}, {5, 2, 3, 4}, 5, 5, 3},
                        {"abcd,idjc->jbai", {4, 3, 5, 2}, {3, 2, 4, 5}, 100, 7, 4},
                        {"bik,bkj->bij", {6, 5, 4}, {6, 4, 3}, 2, 2, 3},
                        {"ik,jl->ij", {6, 5}, {4, 3}, 2, 2, 4},
                        {"iik,kj->ji", {6, 6, 5}, {5, 4}, 2, 2, 4},
                        {"i,i->", {100}, {100}, 1, 1, 9},
                        {"i,j->ji", {11}, {13}, 4, 4, 1}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.notation);
    expect_product(one, {.distribution = Distribution::random});
  }
}

TEST(Product, AnyNumbers) {
  for (const apps::Number number : {apps::Number::float32, apps::Number::complex64, apps::Number::complex128})
    expect_product(kMatrices, {.distribution = Distribution::random, .number = number});
}

TEST(Product, NeighboursAreReadWhereTheyLie) {
  make_product(kMatrices, {.simulation = {.device = polder::SimulatedDevice::direct}},
               [](const apps::Team& /*team*/, const Result<ProductNumbers>& numbers) {
                 ASSERT_TRUE(numbers.ok());
                 EXPECT_EQ(numbers->flow.fetched_blocks, 0u);
               });
}

// With room for all, every block travels once; with room for four, more often; never without a need.
TEST(Product, BlocksAreKeptWhileThereIsRoom) {
  std::uint64_t few = 0, all = 0;
  const auto fetched_with = [](std::uint64_t bytes, std::uint64_t& fetched) {
    make_product(kMatrices,
                 {.ranks = 2, .simulation = {.device = polder::SimulatedDevice::network}, .buffer_bytes = bytes},
                 [&](const apps::Team& team, const Result<ProductNumbers>& numbers) {
                   ASSERT_TRUE(numbers.ok());
                   if (team.rank() != 1) return;
                   fetched = numbers->flow.fetched_blocks;
                   EXPECT_GE(numbers->flow.far_reads, fetched);
                 });
  };
  fetched_with(0, few);
  fetched_with(1 << 20, all);
  // Half of the second operand's 6 x 6 blocks, and at most one row of the first one's.
  EXPECT_GE(all, 18u);
  EXPECT_LE(all, 24u);
  EXPECT_GT(few, all);
}

TEST(Product, ManyCoursesOfASlowNetwork) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Setting setting{.ranks = 4,
                          .simulation = {.seed = seed,
                                         .max_delay_ns = 50'000,
                                         .ranks_per_node = seed % 3 == 0 ? 2u : 0u,
                                         .deterministic = true},
                          .distribution = Distribution::random};
    expect_product({"ik,kj->ij", {13, 17}, {17, 11}, 4, 4, 4}, setting);
  }
}

TEST(Product, ARankThatDiesIsAnErrorAndNoHang) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    polder::Simulation simulation(4, {.seed = seed, .max_delay_ns = 50'000, .deterministic = true});
    unsigned failed = 0, ended = 0;
    const auto work = [&](const apps::Team& team) -> Status {
      const Grid grid{1, {32, 8}, {32, 8}};
      const auto create = [&] {
        return BlockMatrix::create(team, apps::Number::float64, grid, distribute(Distribution::random, grid, 4, seed));
      };
      auto first = create();
      if (!first.ok()) return first.status();
      auto second = create();
      if (!second.ok()) return second.status();
      auto result = create();
      if (!result.ok()) return result.status();
      Status status;
      for (unsigned turn = 0; turn < 1000 && status.ok(); ++turn)
        status = multiply(team, *first, *second, *result).status();
      return status;
    };
    // Somewhere between the making of the matrices and the last product; ranks have joined by then.
    simulation.at(400'000 + std::int64_t(seed) * 30'000, [&] { simulation.kill(2); });
    const Status status = simulation.run([&](polder::Runtime& runtime) {
      const Status outcome = work(apps::Team(runtime, 60));
      if (runtime.rank() == 2) return;
      failed += !outcome.ok() && !outcome.timed_out();
      ++ended;
    });
    EXPECT_TRUE(status.ok()) << status.to_string();
    EXPECT_EQ(ended, 3u);
    EXPECT_EQ(failed, 3u);
  }
}

TEST(Product, WhatDoesNotFitIsRefused) {
  polder::Simulation simulation(2, {.device = polder::SimulatedDevice::direct});
  const Status status = simulation.run([&](polder::Runtime& runtime) {
    const apps::Team team(runtime, 60);
    const auto create = [&](const Grid& grid, apps::Number number = apps::Number::float64) {
      return *BlockMatrix::create(team, number, grid, distribute(Distribution::regular, grid, 2, 0));
    };
    const BlockMatrix a = create({1, {8, 4}, {6, 3}}), b = create({1, {6, 3}, {8, 4}});
    const auto refused = [&](const BlockMatrix& second, BlockMatrix result, const std::string& why) {
      const Status told = multiply(team, a, second, result).status();
      EXPECT_EQ(told.code(), team.rank() == 0 ? Code::invalid_argument : Code::closed);
      if (team.rank() == 0) {
        EXPECT_NE(told.message().find(why), std::string_view::npos) << told.message();
      }
    };
    const Grid fits{1, {8, 4}, {8, 4}};
    refused(create({1, {6, 2}, {8, 4}}), create(fits), "in pieces of 3 and 2");
    refused(create({2, {6, 3}, {8, 4}}), create(fits), "1 and 2 matrices");
    refused(b, create({1, {8, 4}, {8, 2}}), "other rows or columns");
    refused(b, create(fits, apps::Number::float32), "different types");
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

TEST(MatrixProduct, AResultThatIsNotFiniteIsWrong) {
  polder::Simulation simulation(1, {.device = polder::SimulatedDevice::direct});
  const Status status = simulation.run([&](polder::Runtime& runtime) {
    const apps::Team team(runtime, 60);
    const Tensor a = Tensor::made_up("a", apps::Number::float64, {4, 3}, 1);
    const Tensor b = Tensor::made_up("b", apps::Number::float64, {3, 5}, 2);
    const Result<Layout> layout = lay_out(*parse_notation("ik,kj->ij"), a.shape(), b.shape());
    const Grid grid{1, {4, 2}, {5, 2}};
    const Result<BlockMatrix> result =
        BlockMatrix::create(team, apps::Number::float64, grid, distribute(Distribution::regular, grid, 1, 0));
    ASSERT_TRUE(layout.ok() && result.ok());
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      for (const std::uint64_t block : result->own_blocks())
        for (std::size_t at = 0; at < result->own(block).size(); at += sizeof value)
          std::memcpy(&result->own(block)[at], &value, sizeof value);
      EXPECT_EQ(sampled_error(a, b, *layout, *result, 20, 1), std::numeric_limits<double>::infinity());
    }
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
}

}  // namespace
}  // namespace contract
