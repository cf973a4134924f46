// How many messages a job sends, by count, as it grows: nothing of a rank may grow faster than the logarithm of its job.
// Real engines in virtual time; each rank is a node of its own, which is the case that costs most. What of it is a
// collective is also sent by the model, letter for letter, and that counts it for 100,000 ranks.
#include "bootstrap/local/in_process.hpp"
#include "coll/model/prediction.hpp"
#include "core/engine/engine.hpp"
#include "device/sim/fabric.hpp"
#include "util/fibres.hpp"

#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace polder::core {
namespace {

using namespace std::chrono_literals;
using device::sim::Traffic;

constexpr Timeout kPatience = 60s;
constexpr std::int64_t kPhase = 100'000'000'000;  // of virtual time: what is to be counted is over by then

struct Costs {
  Traffic start, barrier, allreduce, agree;
};

class VirtualJob {
 public:
  explicit VirtualJob(Rank ranks) : ranks_(ranks) {
    auto job = bootstrap::local::InProcessJob::create(ranks, {.cores = int(ranks), .clock = clock_});
    device::sim::FabricOptions network{.ranks = ranks, .min_delay_ns = 1000, .max_delay_ns = 2000};
    network.clock = clock_;
    auto fabric = device::sim::Fabric::create(network);
    EXPECT_TRUE(job.ok() && fabric.ok());
    job_.emplace(*std::move(job));
    fabric_ = *std::move(fabric);
  }

  Costs measure() {
    Rank ended = 0;
    for (Rank rank = 0; rank < ranks_; ++rank)
      machine_.start("rank " + std::to_string(rank), [this, rank, &ended] {
        run(rank);
        ++ended;
      });
    EXPECT_EQ(machine_.run([&] { return ended == ranks_; }), util::Fibres::End::done);
    return {since(0), since(1), since(2), since(3)};
  }

 private:
  void run(Rank rank) {
    auto bootstrap = job_->attach(rank);
    auto device = fabric_->device(rank);
    ASSERT_TRUE(bootstrap.ok() && device.ok());
    RuntimeOptions options;
    options.timeout = kPatience;
    auto engine = Engine::create({*std::move(bootstrap), *std::move(device), clock_}, options);
    ASSERT_TRUE(engine.ok()) << engine.status().to_string();
    Runtime rt(*std::move(engine));
    end_phase(rank);
    ASSERT_TRUE(rt.world().barrier(kPatience).ok());
    end_phase(rank);
    double mine = rank, sum = 0;
    const auto add = *reduction(Reduction::sum, DataType::float64, 1);
    ASSERT_TRUE(allreduce(rt.world(), add, &mine, &sum, kPatience).ok());
    EXPECT_EQ(sum, double(ranks_) * (ranks_ - 1) / 2);
    end_phase(rank);
    ASSERT_TRUE(rt.world().agree(~std::uint64_t{0}, kPatience).ok());
    end_phase(rank);
  }

  // All are through long before it ends.
  void end_phase(Rank rank) {
    const std::int64_t phase = clock_.now_ns() / kPhase;
    machine_.sleep((phase + 1) * kPhase - kPhase / 2 - clock_.now_ns());
    if (rank == 0) traffic_.push_back(fabric_->traffic());
    machine_.sleep((phase + 1) * kPhase - clock_.now_ns());
  }

  Traffic since(std::size_t phase) const {
    const Traffic before = phase == 0 ? Traffic{} : traffic_[phase - 1];
    return {traffic_[phase].operations - before.operations, traffic_[phase].bytes - before.bytes};
  }

  const Rank ranks_;
  util::Fibres machine_{{.seed = 1, .latency_ns = 100}};
  util::Clock clock_{machine_};
  std::optional<bootstrap::local::InProcessJob> job_;
  std::shared_ptr<device::sim::Fabric> fabric_;
  std::vector<Traffic> traffic_;
};

double of_a_rank(const Traffic& traffic, Rank ranks) {
  return double(traffic.operations) / ranks;
}

// Letters of a rank by the model.
double letters(coll::Kind kind, Rank ranks) {
  const coll::ModelCall call{.kind = kind, .members = ranks, .bytes = kind == coll::Kind::barrier ? 0 : sizeof(double)};
  const auto outcome = coll::predict(call, coll::Table().choose(coll::choice_of(call)), {.payload = false});
  EXPECT_TRUE(outcome.ok()) << outcome.status().to_string();
  return outcome.ok() ? double(outcome->letters) / ranks : 0;
}

// POLDER_TEST_RANKS=4096 counts a larger job.
TEST(Growth, MessagesOfARankGrowWithTheLogarithm) {
  const char* largest = std::getenv("POLDER_TEST_RANKS");
  const Rank limit = largest == nullptr ? 256 : Rank(std::strtoul(largest, nullptr, 10));
  double before = 0, step = 0;  // messages of the start, and by how many they grew
  Rank counted = 0;
  for (Rank ranks = 4; ranks <= limit; ranks *= 4) {
    const double rounds = std::bit_width(ranks - 1);
    const Costs costs = VirtualJob(ranks).measure();
    std::printf(
        "%5u ranks, of each: start %.1f messages, %.0f bytes; barrier %.2f; allreduce %.2f, %.0f bytes; agree %.2f\n",
        unsigned(ranks), of_a_rank(costs.start, ranks), double(costs.start.bytes) / ranks,
        of_a_rank(costs.barrier, ranks), of_a_rank(costs.allreduce, ranks), double(costs.allreduce.bytes) / ranks,
        of_a_rank(costs.agree, ranks));
    EXPECT_LE(of_a_rank(costs.start, ranks), 24 * rounds) << ranks;
    EXPECT_EQ(of_a_rank(costs.barrier, ranks), rounds) << ranks;
    EXPECT_LE(of_a_rank(costs.allreduce, ranks), 12 * rounds) << ranks;
    EXPECT_LE(of_a_rank(costs.agree, ranks), 24) << ranks;
    EXPECT_EQ(of_a_rank(costs.barrier, ranks), letters(coll::Kind::barrier, ranks)) << ranks;
    EXPECT_EQ(of_a_rank(costs.allreduce, ranks), letters(coll::Kind::allreduce, ranks)) << ranks;
    // As much more for each four times as many.
    const double start = of_a_rank(costs.start, ranks), grown = start - before;
    if (ranks > 16) {
      EXPECT_NEAR(grown, step, 1) << ranks;
    }
    before = start;
    step = grown;
    counted = ranks;
  }
  constexpr Rank kMany = 100'000;
  const double steps = std::log2(double(kMany) / counted) / 2;
  const double barrier = letters(coll::Kind::barrier, kMany), allreduce = letters(coll::Kind::allreduce, kMany);
  std::printf(
      "%5u ranks, of each: start %.0f messages, if it goes on like that; by the model: barrier %.2f; allreduce %.2f\n",
      unsigned(kMany), before + steps * step, barrier, allreduce);
  EXPECT_EQ(barrier, std::bit_width(kMany - 1));
  EXPECT_LE(allreduce, std::bit_width(kMany - 1) + 2);
}

}  // namespace
}  // namespace polder::core
