// Members and spares that die at each step of the work, of checkpoints and of the formation of the next set, and ranks that were
// merely cut off from another one for a while: the answer is that of an undisturbed run, or all that live say why there is none.
#include "ckpt/set_work.hpp"
#include "core/seeds.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace polder::test {
namespace {

// Each step that a working set comes to; the first ones only after a death.
constexpr std::string_view kPlaces[] = {
    "form: shrunk",   "form: asked",     "form: told",    "begin: filled",  "begin: all filled", "form: split",
    "form: prepared", "form: committed", "form: decided", "begin: adopted", "open: gathered",    "open: room",
    "open: decided",  "start: copy",     "start: piece",  "start: posted",  "commit: arrived",   "commit: decided",
    "leave",          "leave: left",     "meet: decided"};
constexpr std::uint64_t kAfterADeath = 5;

struct Death {
  Rank victim = 0;
  std::string_view where;
  std::uint64_t times = 0;  // how often it is there before
};

// A rank that calls another one dead in error.
struct Alarm {
  Rank teller = 0;
  std::string_view where;
  std::uint64_t times = 0;
  Rank victim = 0;
};

struct Plan {
  explicit Plan(std::uint64_t seed) : random(util::mix(seed ^ 815)) {
    members = Rank(2 + random.below(4));
    spec.spares = Rank(random.below(4));
    spec.mirrors = std::uint32_t(1 + random.below(2));
    spec.changed_pages = random.below(2) == 0;
    spec.least = random.below(2) == 0 ? 1 : 0;
    if (random.below(12) == 0) return;
    // One of them is aimed at each step in turn.
    const std::uint64_t aim = seed % std::size(kPlaces);
    if (aim < kAfterADeath) deaths.push_back({Rank(random.below(members)), "commit: decided", 1 + random.below(3)});
    deaths.push_back(death(aim, 2));
    while (random.below(3) == 0) deaths.push_back(death(random.below(std::size(kPlaces)), 3));
  }
  Rank ranks() const { return members + *spec.spares; }
  Death death(std::uint64_t place, std::uint64_t times) {
    return {Rank(random.below(ranks())), kPlaces[place], random.below(times)};
  }

  util::Random random;
  Rank members = 0;
  WorkingSetSpec spec;
  std::vector<Death> deaths;
  Alarm alarm;
};

SimulationOptions options_for(std::uint64_t seed, util::Random& random) {
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(50'000));
  options.detection_ns = 1'000'000;
  if (options.device != SimulatedDevice::direct && random.below(2) == 0) options.ranks_per_node = 2;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

struct Outcomes {
  std::set<Rank> dead;
  std::map<Rank, Status> status;                      // of those that live
  std::map<Rank, std::vector<std::uint64_t>> blocks;  // by place
  std::set<std::size_t> sizes;                        // of the last set
};

void run_rank(Runtime& rt, Simulation& simulation, const Plan& plan, Outcomes& outcomes) {
  std::map<std::string_view, std::uint64_t> seen;
  WorkingSetSpec spec = plan.spec;
  spec.patience = 60s;
  spec.at_step = [&](std::string_view where) {
    const std::uint64_t times = seen[where]++;
    if (plan.alarm.teller == rt.rank() && plan.alarm.where == where && plan.alarm.times == times) {
      EXPECT_TRUE(ok(rt.mark_failed(plan.alarm.victim)));
    }
    for (const Death& death : plan.deaths)
      if (death.victim == rt.rank() && death.where == where && death.times == times &&
          outcomes.dead.insert(rt.rank()).second)
        simulation.kill(rt.rank());
  };
  SetWork work;
  std::size_t size = 0;
  WorkingSet set(rt, spec);
  Status status = set.run([&](Member& me) {
    size = me.size();
    return work(me);
  });
  if (outcomes.dead.contains(rt.rank())) return;
  if (status.ok() && set.place()) {
    outcomes.blocks[*set.place()] = work.numbers;
    outcomes.sizes.insert(size);
  }
  outcomes.status.emplace(rt.rank(), std::move(status));
}

// All that live ended alike; with an answer unless so many have died that there can be none.
void check(const Plan& plan, const Outcomes& outcomes) {
  std::set<bool> good;
  std::string texts;
  for (const auto& [rank, status] : outcomes.status) {
    good.insert(status.ok());
    texts += std::to_string(rank) + ": " + status.to_string() + "\n";
  }
  if (outcomes.status.empty()) return;  // nobody lives
  ASSERT_EQ(good.size(), 1u) << texts;
  const std::size_t dead = outcomes.dead.size();
  const bool enough = plan.spec.least == 1 || dead <= *plan.spec.spares;
  if (enough && dead <= std::min<std::size_t>(plan.spec.mirrors, plan.members - 1)) {
    EXPECT_TRUE(*good.begin()) << texts;
  }
  if (!*good.begin()) {
    EXPECT_THAT(texts, testing::AnyOf(testing::HasSubstr("are gone"), testing::HasSubstr("no whole copy"),
                                      testing::HasSubstr("no part is left")));
    return;
  }
  // A member that died at its very last step, when all had ended, left with its block.
  ASSERT_EQ(outcomes.sizes.size(), 1u);
  const std::vector<std::uint64_t> right = answer();
  const auto size = Rank(*outcomes.sizes.begin());
  for (const auto& [place, numbers] : outcomes.blocks) {
    const auto first = right.begin() + std::ptrdiff_t(first_of(place, size));
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), first)) << "place " << place << " of " << size;
  }
}

void run_deaths(std::uint64_t seed) {
  Plan plan(seed);
  Simulation simulation(plan.ranks(), options_for(seed, plan.random));
  Outcomes outcomes;
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) { run_rank(rt, simulation, plan, outcomes); })));
  check(plan, outcomes);
}

class SetDeaths : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, SetDeaths, testing::Range(std::uint64_t{0}, std::uint64_t{2}));

TEST_P(SetDeaths, LeaveTheAnswerAsItIs) {
  run_seeds(GetParam(), 2, 240, run_deaths);
}

constexpr std::int64_t kAllAreThere = 20'000'000;

// A link breaks between two ranks that live, or one is called dead in error: one of them is out and says so, the others end as if it
// had died.
void run_false_alarm(std::uint64_t seed) {
  Plan plan(seed);
  util::Random random(util::mix(seed ^ 99));
  plan.members = Rank(3 + random.below(3));
  plan.spec = {.spares = 2, .mirrors = 2};  // of two that lose each other both may be given up
  plan.deaths.clear();
  const auto one = Rank(random.below(plan.members)),
             other = Rank((one + 1 + random.below(plan.members)) % plan.ranks());
  SimulationOptions options = options_for(seed, random);
  if (seed % 2 == 0) {
    plan.alarm = {one, kPlaces[seed / 2 % std::size(kPlaces)], random.below(3), other};
  } else if (options.device == SimulatedDevice::direct) {
    options.device = SimulatedDevice::network;
  }
  if (seed % 2 == 1) options.ranks_per_node = 1;  // links between nodes are doubted before a rank is called dead
  Simulation simulation(plan.ranks(), options);
  const auto begins = kAllAreThere + std::int64_t(random.below(5'000'000)),
             ends = begins + std::int64_t(random.below(4'000'000));
  if (seed % 2 == 1) {
    simulation.at(begins, [&] { simulation.cut(one, other), simulation.cut(other, one); });
    simulation.at(ends, [&] { simulation.heal(one, other), simulation.heal(other, one); });
  }
  Outcomes outcomes;
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(kAllAreThere - simulation.now_ns());
    run_rank(rt, simulation, plan, outcomes);
  })));
  ASSERT_EQ(outcomes.status.size(), plan.ranks());
  for (const Rank rank : {one, other})
    if (!outcomes.status.at(rank).ok()) {
      EXPECT_TRUE(fails(outcomes.status.at(rank), Code::peer_failed));
      outcomes.status.erase(rank);
    }
  check(plan, outcomes);
  for (const auto& [rank, status] : outcomes.status) EXPECT_TRUE(ok(status)) << "rank " << rank;
  EXPECT_GE(outcomes.blocks.size() + 1, plan.members);  // one may be called dead when all have ended
}

TEST(SetAlarms, EndInOneOutcome) {
  run_seeds(0, 1, 60, run_false_alarm);
}

}  // namespace
}  // namespace polder::test
