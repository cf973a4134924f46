// Eventually consistent collectives by the thousand: random operations, thresholds, stragglers, delays and deaths, in
// virtual time. An oracle that knows what everybody gave checks each status: what it says is true.
//
// POLDER_TEST_SEED=n takes one course again, POLDER_TEST_SEEDS=n runs so many.
#include "core/ranks.hpp"
#include "core/seeds.hpp"

#include <polder/eventual.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace polder::test {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr unsigned kOperations = 6;

// An operation, the same at all members.
struct Plan {
  enum class Kind { broadcast, reduce, allreduce, enhance } kind = Kind::allreduce;
  Rank root = 0;
  std::size_t count = 0;
  Threshold enough;
  std::vector<std::size_t> order;
};

std::uint64_t given(std::uint64_t seed, unsigned operation, Rank member, std::size_t i) {
  return util::mix(util::mix(seed * 64 + operation) ^ (member * 100'003 + i));
}
double weight_of(std::uint64_t seed, unsigned operation, Rank member) {
  return double(util::mix(seed ^ (operation * 37 + member)) % 4);
}

std::vector<Plan> plan_of(std::uint64_t seed, Rank ranks) {
  util::Random random(util::mix(seed ^ 0xe7e7));
  std::vector<Plan> all(kOperations);
  for (unsigned i = 0; i < kOperations; ++i) {
    Plan& plan = all[i];
    plan.kind = Plan::Kind(random.below(i == 0 ? 3 : 4));
    if (plan.kind == Plan::Kind::enhance) {
      const Plan before = all[i - 1];
      plan = before;
      plan.kind = Plan::Kind::enhance;
      plan.enough.data = std::min(1.0, before.enough.data + double(random.below(3)) / 4);
      plan.enough.members = std::min(1.0, before.enough.members + double(random.below(3)) / 4);
    } else {
      plan.root = plan.kind == Plan::Kind::allreduce ? 0 : Rank(random.below(ranks));
      plan.count = random.below(100);
      plan.enough.data = double(1 + random.below(4)) / 4;
      plan.enough.members = double(random.below(5)) / 4;
      plan.enough.choose = Choose(random.below(4));
      plan.enough.leave_out = random.below(3) == 0 ? LeaveOut::stages : LeaveOut::late;
    }
    plan.enough.weight = random.below(3) == 0 ? double(random.below(8)) : 0;
    plan.enough.deadline.reset();
    if (random.below(3) == 0) plan.enough.deadline = std::chrono::nanoseconds(random.below(400'000));
    plan.order.resize(plan.count);
    for (std::size_t at = 0; at < plan.count; ++at) plan.order[at] = plan.count - 1 - at;
  }
  return all;
}

// What a member was told, and has.
struct Outcome {
  Status status;
  EventualStatus told;
  Words result;
};

// The operation whose contributions count: an enhancement has those of the one that it enhances.
unsigned origin(const std::vector<Plan>& plans, unsigned operation) {
  while (plans[operation].kind == Plan::Kind::enhance) --operation;
  return operation;
}

class Oracle {
 public:
  Oracle(std::uint64_t seed, std::vector<Plan> plans, std::set<Rank> dead)
      : seed_(seed), plans_(std::move(plans)), dead_(std::move(dead)) {}

  // To the others that is a death.
  void is_out(Rank member) { dead_.insert(member); }
  void is_in(Rank member) { in_.insert(member); }
  const Plan& plan(unsigned operation) const { return plans_[operation]; }
  const Plan& call(unsigned operation) const { return plans_[origin(plans_, operation)]; }

  void check(unsigned operation, Rank member, const Outcome& outcome, const Words& before) {
    const Plan& first = call(operation);
    const EventualStatus& told = outcome.told;
    const bool is_root = member == first.root;
    if (!outcome.status.ok()) {
      const bool rooted = first.kind != Plan::Kind::allreduce;
      EXPECT_TRUE(outcome.status.code() == Code::peer_failed && rooted && is_dead(first.root))
          << outcome.status.to_string() << where(operation, member) << describe(operation);
      return;
    }
    std::size_t finals = 0;
    for (std::size_t i = 0; i < first.count; ++i) {
      finals += told.is_final(i);
      if (told.is_final(i)) {
        EXPECT_TRUE(told.is_touched(i));
        EXPECT_EQ(outcome.result[i], expected(operation, told, i))
            << i << where(operation, member) << describe(operation) << testing::PrintToString(told.contributors)
            << int(told.ended);
      } else if (!told.is_touched(i)) {
        EXPECT_EQ(outcome.result[i], before[i]) << i << where(operation, member);
      }
    }
    EXPECT_EQ(finals, told.elements) << where(operation, member);
    const bool mine = std::ranges::count(told.contributors, member) != 0;
    const bool is_known = told.mine != Counted::unknown && first.kind != Plan::Kind::broadcast;
    EXPECT_TRUE(!is_known || (told.mine == Counted::yes) == mine) << where(operation, member);
    if (first.kind == Plan::Kind::broadcast) return;
    // Without the root's word it knows of those that were in before, in an enhancement.
    if (first.kind == Plan::Kind::reduce && !is_root)
      return told.ended == Ended::deadline ? void() : agree(operation, member, told);
    check_thresholds(operation, member, told);
    agree(operation, member, told);
  }

 private:
  // A member whose object could not be made gives its memory back before it says so here.
  bool is_dead(Rank member) const { return dead_.contains(member) || (!dead_.empty() && !in_.contains(member)); }

  std::string where(unsigned operation, Rank member) const {
    return " operation " + std::to_string(operation) + " member " + std::to_string(member);
  }

  std::uint64_t expected(unsigned operation, const EventualStatus& told, std::size_t i) const {
    const unsigned of = origin(plans_, operation);
    if (plans_[of].kind == Plan::Kind::broadcast) return given(seed_, of, plans_[of].root, i);
    std::uint64_t sum = 0;
    for (const Rank each : told.contributors) sum += given(seed_, of, each, i);
    return sum;
  }

  void check_thresholds(unsigned operation, Rank member, const EventualStatus& told) const {
    const Plan& now = plans_[operation];
    if (told.ended != Ended::thresholds) {
      EXPECT_TRUE(told.ended == Ended::deadline ? now.enough.deadline.has_value() : !dead_.empty())
          << int(told.ended) << where(operation, member);
      return;
    }
    const bool enough_members = double(told.contributors.size()) >= now.enough.members * double(ranks_) - 1e-9;
    const bool enough_weight = now.enough.weight > 0 && told.weight >= now.enough.weight;
    EXPECT_TRUE(enough_members || enough_weight) << told.contributors.size() << where(operation, member);
    double weight = 0;
    for (const Rank each : told.contributors) weight += weight_of(seed_, operation, each);
    EXPECT_EQ(weight, told.weight) << where(operation, member);
    const auto elements = std::size_t(std::ceil(now.enough.data * double(call(operation).count) - 1e-9));
    EXPECT_TRUE(now.enough.choose == Choose::largest || told.elements == elements) << where(operation, member);
  }

  // All results of an operation are the same, unless whoever made one died.
  void agree(unsigned operation, Rank member, const EventualStatus& told) {
    if (!dead_.empty() || told.mine == Counted::unknown) return;
    const auto [first, is_new] = contributors_.try_emplace(operation, told.contributors);
    EXPECT_TRUE(is_new || first->second == told.contributors) << where(operation, member) << describe(operation);
  }

  std::string describe(unsigned operation) const {
    const Plan& plan = plans_[operation];
    return " kind " + std::to_string(int(plan.kind)) + " of " + std::to_string(int(call(operation).kind)) + " root " +
           std::to_string(plan.root) + " ranks " + std::to_string(ranks_) + " members " +
           std::to_string(plan.enough.members) + " weight " + std::to_string(plan.enough.weight) + " deadline " +
           std::to_string(plan.enough.deadline ? plan.enough.deadline->count() : -1) + " choose " +
           std::to_string(int(plan.enough.choose)) + " data " + std::to_string(plan.enough.data) + " ";
  }

 public:
  Rank ranks_ = 0;

 private:
  const std::uint64_t seed_;
  const std::vector<Plan> plans_;
  std::set<Rank> dead_, in_;
  std::map<unsigned, std::vector<Rank>> contributors_;
};

class Program {
 public:
  Program(Runtime& rt, Simulation& simulation, Oracle& oracle, std::uint64_t seed)
      : rt_(rt), simulation_(simulation), oracle_(oracle), seed_(seed), random_(util::mix(seed ^ rt.rank())) {}

  void run(bool dies) {
    const EventualSpec spec{.bytes = 800,
                            .largest = true,
                            .apart = 1 + unsigned(seed_ % 4),
                            .patience = 2,
                            .way = EventualWay(seed_ / 4 % 4)};
    auto made = Eventual::create(rt_.world(), spec, 30s);
    if (!made.ok()) return oracle_.is_out(rt_.rank());  // somebody died before all were there
    oracle_.is_in(rt_.rank());
    for (unsigned operation = 0; operation < kOperations; ++operation) {
      if (random_.below(3) == 0) simulation_.sleep(std::int64_t(random_.below(300'000)));
      const Words before = prepare(operation);
      const Outcome outcome = call(**made, operation);
      // A process that dies gives no memory back; others read there until they know.
      if (dies && !outcome.status.ok()) return simulation_.sleep(5'000'000'000);
      oracle_.check(operation, rt_.rank(), outcome, before);
    }
  }

 private:
  Words prepare(unsigned operation) {
    const Plan& plan = oracle_.plan(operation);
    if (plan.kind == Plan::Kind::enhance) return result_;
    send_.resize(plan.count);
    for (std::size_t i = 0; i < plan.count; ++i) send_[i] = given(seed_, operation, rt_.rank(), i);
    result_.assign(plan.count, 4711);
    if (plan.kind == Plan::Kind::broadcast && rt_.rank() == plan.root) result_ = send_;
    return result_;
  }

  Outcome call(Eventual& eventual, unsigned operation) {
    const Plan& plan = oracle_.plan(operation);
    Threshold enough = plan.enough;
    enough.order = plan.order;
    enough.mine = weight_of(seed_, operation, rt_.rank());
    const auto sum = *reduction(Reduction::sum, DataType::uint64, plan.count);
    while (true) {
      const Timeout timeout =
          random_.below(2) == 0 ? Timeout(30s) : Timeout(std::chrono::nanoseconds(random_.below(50'000)));
      auto told =
          plan.kind == Plan::Kind::broadcast ? eventual.broadcast(plan.root, sum, result_.data(), enough, timeout)
          : plan.kind == Plan::Kind::reduce
              ? eventual.reduce(plan.root, sum, send_.data(), result_.data(), enough, timeout)
          : plan.kind == Plan::Kind::allreduce ? eventual.allreduce(sum, send_.data(), result_.data(), enough, timeout)
                                               : eventual.enhance(enough, timeout);
      if (told.status().timed_out() && timeout != Timeout(30s)) continue;
      return {told.status(), told.ok() ? *told : EventualStatus(), result_};
    }
  }

  Runtime& rt_;
  Simulation& simulation_;
  Oracle& oracle_;
  const std::uint64_t seed_;
  util::Random random_;
  Words send_, result_;
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
  util::Random random(util::mix(seed ^ 0xdead));
  const Rank ranks = Rank(1 + random.below(random.below(4) == 0 ? 12 : 6));
  Simulation simulation(ranks, options_of(seed));
  constexpr std::int64_t kBegin = 50'000'000;  // all have started
  std::set<Rank> dead;
  if (ranks > 1 && random.below(4) == 0) dead.insert(Rank(random.below(ranks)));
  for (const Rank victim : dead)
    simulation.at(kBegin + std::int64_t(random.below(3'000'000)), [&simulation, victim] { simulation.kill(victim); });
  Oracle oracle(seed, plan_of(seed, ranks), dead);
  oracle.ranks_ = ranks;
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(kBegin - simulation.now_ns());
    Program(rt, simulation, oracle, seed).run(dead.contains(rt.rank()));
  })));
}

class EventualSeeds : public testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t kParts = 4;

TEST_P(EventualSeeds, WhatTheStatusSaysIsTrue) {
  run_seeds(GetParam(), kParts, 800, run_seed);
}

INSTANTIATE_TEST_SUITE_P(Parts, EventualSeeds, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace polder::test
