// The stale-synchronous allreduce by the thousand: random shapes, slacks, cells, stragglers, delays, timeouts and deaths,
// in virtual time. An oracle that knows what everybody gave checks each result: the bound on staleness holds, nothing
// is lost or doubled, no clock goes back, and calls with slack 0 are equal everywhere.
//
// POLDER_TEST_SEED=n takes one course again, POLDER_TEST_SEEDS=n runs so many.
#include "coll/stale_words.hpp"
#include "core/ranks.hpp"
#include "core/seeds.hpp"

#include <polder/stale.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace polder::test {
namespace {

using Words = StaleWords::Words;

struct Plan {
  struct Call {
    std::uint64_t slack = 0;
    bool is_flush = false;
  };
  Rank ranks = 1;
  std::size_t count = 0;  // elements
  StaleShape shape = StaleShape::hypercube;
  unsigned cells = 2;
  std::vector<Call> calls;
  std::optional<Rank> dies;
};

Plan plan_of(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0x57a1e));
  Plan plan;
  plan.ranks = Rank(1 + random.below(StaleWords::kMembers));
  plan.count = 1 + random.below(20);
  plan.shape = StaleShape(random.below(3));
  plan.cells = unsigned(2 + random.below(4));
  constexpr std::uint64_t kSlacks[] = {0, 1, 2, 3, 8, ~std::uint64_t{0}};
  std::uint64_t slack = kSlacks[random.below(6)];
  const bool changes = random.below(2) == 0;
  plan.calls.resize(5 + random.below(20));
  for (Plan::Call& call : plan.calls) {
    if (changes && random.below(3) == 0) slack = kSlacks[random.below(6)];
    call.is_flush = random.below(8) == 0;
    call.slack = call.is_flush ? 0 : slack;
  }
  if (plan.ranks > 1 && random.below(5) == 0) plan.dies = Rank(random.below(plan.ranks));
  return plan;
}

class Oracle {
 public:
  Oracle(std::uint64_t seed, const Plan& plan)
      : plan_(plan), words_{.members = plan.ranks, .count = plan.count, .seed = seed} {}

  const StaleWords& words() const { return words_; }
  // Contributions of a member in its first calls.
  std::uint64_t contributions(std::uint64_t calls) const {
    std::uint64_t all = 0;
    for (std::uint64_t call = 0; call < calls && call < plan_.calls.size(); ++call) all += !plan_.calls[call].is_flush;
    return all;
  }

  void check(Rank member, const Staleness& told, const Words& sum, Words& before) {
    const std::uint64_t clock = told.clock, slack = plan_.calls[clock - 1].slack;
    const std::string where = " member " + std::to_string(member) + " call " + std::to_string(clock);
    const std::uint64_t least = slack < clock ? clock - slack : 0;
    EXPECT_GE(told.oldest, least) << where;
    EXPECT_GE(told.newest, told.oldest) << where;
    EXPECT_EQ(words_.least(sum, member), contributions(clock)) << where;  // it reads what it has written
    for (Rank other = 0; other < plan_.ranks; ++other) {
      const std::uint64_t fewest = words_.least(sum, other), most = words_.most(sum, other);
      EXPECT_GE(fewest, contributions(told.oldest)) << other << where;
      EXPECT_LE(most, contributions(told.newest)) << other << where;
      EXPECT_LE(most, contributions(entered_[other])) << other << where;
      EXPECT_TRUE(fewest == most || plan_.shape == StaleShape::sharded) << other << where;
      for (std::size_t i = 0; i < plan_.count; ++i)
        EXPECT_GE(StaleWords::counted(sum[i], other), StaleWords::counted(before[i], other)) << other << where;
    }
    words_.expect_whole(sum);
    if (slack == 0) {
      EXPECT_EQ(told.oldest, clock) << where;
      EXPECT_EQ(told.newest, clock) << where;
      const auto [first, is_new] = consistent_.try_emplace(clock, sum);
      EXPECT_TRUE(is_new || first->second == sum) << where;
    }
    before = sum;
  }

  void enters(Rank member) { ++entered_[member]; }
  const Plan& plan() const { return plan_; }

 private:
  const Plan& plan_;
  const StaleWords words_;
  std::map<Rank, std::uint64_t> entered_;
  std::map<std::uint64_t, Words> consistent_;
};

class Program {
 public:
  Program(Runtime& rt, Simulation& simulation, Oracle& oracle, std::uint64_t seed)
      : rt_(rt), simulation_(simulation), oracle_(oracle), random_(util::mix(seed ^ rt.rank())) {}

  void run() {
    const Plan& plan = oracle_.plan();
    const bool dies = plan.dies == rt_.rank();
    auto made = Stale::create(rt_.world(),
                              {*reduction(Reduction::sum, DataType::uint64, plan.count), plan.shape, plan.cells}, 30s);
    if (!made.ok()) {
      EXPECT_TRUE(plan.dies.has_value()) << made.status().to_string();
      return;
    }
    Words sum(plan.count), before(plan.count);
    std::uint64_t contributed = 0;
    for (const Plan::Call& call : plan.calls) {
      if (random_.below(3) == 0) simulation_.sleep(std::int64_t(random_.below(300'000)));
      oracle_.enters(rt_.rank());
      const Words mine = oracle_.words().given(rt_.rank(), ++contributed);
      contributed -= call.is_flush;
      const auto told = this->call(**made, call, mine, sum);
      if (dies && !told.ok()) return simulation_.sleep(5'000'000'000);
      if (plan.dies && !told.ok()) return expect_death(told.status());
      ASSERT_TRUE(ok(told));
      oracle_.check(rt_.rank(), *told, sum, before);
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  Result<Staleness> call(Stale& stale, const Plan::Call& call, const Words& mine, Words& sum) {
    while (true) {
      const Timeout timeout =
          random_.below(2) == 0 ? Timeout(30s) : Timeout(std::chrono::nanoseconds(random_.below(50'000)));
      auto told = call.is_flush ? stale.flush(sum.data(), timeout)
                                : stale.allreduce_ssp(mine.data(), sum.data(), call.slack, timeout);
      if (told.status().timed_out() && timeout != Timeout(30s)) continue;
      return told;
    }
  }

  void expect_death(const Status& status) const {
    EXPECT_TRUE(fails(status, Code::peer_failed, "rank ")) << "rank " << rt_.rank();
  }

  Runtime& rt_;
  Simulation& simulation_;
  Oracle& oracle_;
  util::Random random_;
};

SimulationOptions options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0xc011));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(100'000));
  options.detection_ns = 1'000'000;
  if (options.device != SimulatedDevice::direct && random.below(3) == 0) options.ranks_per_node = 2;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

void run_seed(std::uint64_t seed) {
  const Plan plan = plan_of(seed);
  util::Random random(util::mix(seed ^ 0xdead));
  Simulation simulation(plan.ranks, options_of(seed));
  constexpr std::int64_t kBegin = 50'000'000;  // all have started
  if (plan.dies)
    simulation.at(kBegin + std::int64_t(random.below(3'000'000)),
                  [&simulation, victim = *plan.dies] { simulation.kill(victim); });
  Oracle oracle(seed, plan);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(kBegin - simulation.now_ns());
    Program(rt, simulation, oracle, seed).run();
  })));
}

class StaleSeeds : public testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t kParts = 4;

TEST_P(StaleSeeds, TheBoundHoldsAndNothingIsLostOrDoubled) {
  run_seeds(GetParam(), kParts, 800, run_seed);
}

INSTANTIATE_TEST_SUITE_P(Parts, StaleSeeds, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace polder::test
