// Members of a group agree, and go on in a smaller one, whoever dies meanwhile and when.
#include "core/seed_range.hpp"
#include "faulty.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace polder::test {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

class Agree : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Agree, testing::ValuesIn(worlds({1, 2, 5})), name_of_param);

TEST_P(Agree, OnWhatAllHaveSet) {
  run([](Runtime& rt) {
    for (std::uint64_t turn = 0; turn < 5; ++turn) {
      const std::uint64_t mine = kAll ^ (std::uint64_t{1} << rt.rank()) ^ (turn << 32);
      auto agreed = rt.world().agree(mine, kPatience);
      ASSERT_TRUE(ok(agreed));
      EXPECT_EQ(agreed->bits, (kAll << rt.size()) ^ (turn << 32));
      EXPECT_EQ(agreed->dissenter, Rank{0});
      EXPECT_TRUE(agreed->failed.empty());
    }
    auto agreed = rt.world().agree(rt.rank() == rt.size() - 1 ? 0 : kAll, kPatience);
    ASSERT_TRUE(ok(agreed));
    EXPECT_EQ(agreed->bits, 0u);
    EXPECT_EQ(agreed->dissenter, rt.size() - 1);
    agreed = rt.world().agree(kAll, kPatience);
    ASSERT_TRUE(ok(agreed));
    EXPECT_EQ(agreed->bits, kAll);
    EXPECT_FALSE(agreed->dissenter);
  });
}

TEST_P(Agree, OrGoesOnAfterATimeout) {
  run([](Runtime& rt) {
    if (rt.rank() == 0 && rt.size() > 1) {
      EXPECT_TRUE(fails(rt.world().agree(6, Timeout::test()), Code::timeout));
      EXPECT_TRUE(fails(rt.world().agree(7, Timeout::test()), Code::invalid_argument)) << "other bits";
      EXPECT_TRUE(fails(rt.world().shrink(Timeout::test()), Code::busy));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    auto agreed = rt.world().agree(6, kPatience);
    ASSERT_TRUE(ok(agreed));
    EXPECT_EQ(agreed->bits, 6u);
  });
}

TEST_P(Agree, AShrunkGroupKeepsTheOrderOfMembers) {
  run([](Runtime& rt) {
    auto turned = rt.split(rt.world(), 0, -std::int64_t(rt.rank()), kPatience);
    ASSERT_TRUE(ok(turned) && ok((*turned)->commit(kPatience)));
    auto smaller = (*turned)->shrink(kPatience);
    ASSERT_TRUE(ok(smaller));
    EXPECT_TRUE(std::ranges::equal((*smaller)->ranks(), (*turned)->ranks()));
    EXPECT_EQ((*smaller)->ranks().front(), rt.size() - 1);
  });
}

TEST_P(Agree, AShrunkGroupOfAllIsLikeTheFirst) {
  run([](Runtime& rt) {
    for (int turn = 0; turn < 3; ++turn) {
      auto smaller = rt.world().shrink(kPatience);
      ASSERT_TRUE(ok(smaller));
      EXPECT_EQ((*smaller)->size(), rt.size());
      EXPECT_TRUE(ok((*smaller)->barrier(kPatience)));
      EXPECT_TRUE(ok((*smaller)->agree(kAll, kPatience)));
    }
  });
}

TEST(AgreeAlone, BeforeTheGroupIsCommitted) {
  Simulation simulation(2, {.runtime = {.timeout = kPatience}});
  run_ranks(simulation, [](Runtime& rt) {
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group));
    EXPECT_TRUE(fails((*group)->agree(1, kPatience), Code::invalid_group));
    EXPECT_TRUE(fails((*group)->shrink(kPatience), Code::invalid_group));
  });
}

// ---- with deaths, in threads ----

class AgreeKill : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, AgreeKill,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages,
                                         SimulatedDevice::shm),
                         name_of_device);

// The leader, an inner member and a leaf, each while the others are in the call.
TEST_P(AgreeKill, WithoutThoseThatDied) {
  constexpr Rank kRanks = 6;
  for (const Rank dead : {0u, 1u, 5u}) {
    Simulation simulation(kRanks, quick_detection(GetParam()));
    Meeting meeting(kRanks);
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      meeting.wait();
      if (rt.rank() == dead) {
        simulation.kill(dead);
        EXPECT_TRUE(fails(rt.world().agree(kAll, kPatience), Code::closed));
      } else {
        auto agreed = rt.world().agree(kAll ^ rt.rank(), kPatience);
        ASSERT_TRUE(ok(agreed));
        EXPECT_EQ(agreed->failed, std::vector<Rank>{dead});
        auto smaller = rt.world().shrink(kPatience);
        ASSERT_TRUE(ok(smaller));
        EXPECT_EQ((*smaller)->size(), kRanks - 1);
        EXPECT_FALSE((*smaller)->relative(dead));
        EXPECT_TRUE(ok((*smaller)->barrier(kPatience)));
      }
      meeting.wait();
    })));
  }
}

// ---- in virtual time: at any moment ----

struct Outcomes {
  std::set<std::string> decided;  // as text
  std::set<Rank> dead;
  int ended = 0;
};

std::string text_of(const Agreement& agreed) {
  std::string text = std::to_string(agreed.bits) + " without";
  for (const Rank rank : agreed.failed) text += " " + std::to_string(rank);
  return text;
}

SimulationOptions options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(50'000));
  options.detection_ns = 1'000'000;
  if (options.device != SimulatedDevice::direct && random.below(3) == 0) options.ranks_per_node = 3;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

// Ranks that die at moments that a seed draws, while all agree: those that live decide the same, all of them, and go on
// in a group of exactly themselves.
void run_seed(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 77));
  const auto ranks = Rank(2 + random.below(8));
  Simulation simulation(ranks, options_of(seed));
  Outcomes outcomes;
  const std::int64_t begin = 20'000'000 + std::int64_t(random.below(1'000'000));
  for (Rank deaths = Rank(random.below(ranks)); deaths != 0; --deaths) {
    const auto victim = Rank(random.below(ranks));
    if (outcomes.dead.size() + 1 < ranks && outcomes.dead.insert(victim).second)
      simulation.at(begin + std::int64_t(random.below(500'000)), [&simulation, victim] { simulation.kill(victim); });
  }
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    const bool dies = outcomes.dead.contains(rt.rank());
    simulation.sleep(begin - simulation.now_ns());
    const auto agreed = rt.world().agree(kAll ^ (std::uint64_t{1} << rt.rank()), 60s);
    if (dies && !agreed.ok()) return;
    ASSERT_TRUE(ok(agreed)) << "rank " << rt.rank();
    outcomes.decided.insert(text_of(*agreed));  // also what somebody heard before it died
    auto smaller = rt.world().shrink(60s);
    if (dies) return simulation.sleep(1'000'000'000);
    ASSERT_TRUE(ok(smaller)) << "rank " << rt.rank();
    while (true) {  // until nobody dies any more
      simulation.sleep(100'000'000);
      auto next = (*smaller)->shrink(60s);
      ASSERT_TRUE(ok(next)) << "rank " << rt.rank();
      const bool same = (*next)->size() == (*smaller)->size();
      smaller = std::move(next);
      if (same) break;
    }
    EXPECT_EQ((*smaller)->size(), ranks - outcomes.dead.size()) << "rank " << rt.rank();
    EXPECT_TRUE(ok((*smaller)->barrier(60s))) << "rank " << rt.rank();
    ++outcomes.ended;
  })));
  EXPECT_LE(outcomes.decided.size(), 1u) << testing::PrintToString(outcomes.decided);
  EXPECT_EQ(outcomes.ended, int(ranks - outcomes.dead.size()));
}

constexpr std::uint64_t kParts = 4;

class AgreeSeeds : public testing::TestWithParam<std::uint64_t> {
 public:
  // `usual`: of all parts.
  static void for_seeds(std::uint64_t usual, void (*run)(std::uint64_t)) {
    const SeedRange seeds(GetParam(), kParts, usual);
    for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
      run(seed);
      ASSERT_FALSE(HasFailure()) << "POLDER_TEST_SEED=" << seed << " takes this course again";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Parts, AgreeSeeds, testing::Range(std::uint64_t{0}, kParts));

TEST_P(AgreeSeeds, AllThatLiveDecideTheSame) {
  for_seeds(3'000, run_seed);
}

// Groups of the same ranks, one after the other, each deleted as soon as its member is through an agreement of it. Members
// that look now and then only find the groups of others deleted and made anew, and their own agreement ends all the same.
void run_anew(std::uint64_t seed) {
  util::Random sizes(util::mix(seed ^ 78));
  const auto ranks = Rank(4 + sizes.below(8));
  Simulation simulation(ranks, options_of(seed));
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    util::Random random(util::mix(seed) + rt.rank());
    std::vector<Rank> all(ranks);
    std::iota(all.begin(), all.end(), Rank{0});
    for (int turn = 0; turn < 4; ++turn) {
      auto group = rt.create_group(all);
      ASSERT_TRUE(ok(group));
      ASSERT_TRUE(ok((*group)->commit(60s)));
      const bool lazy = random.below(3) == 0;
      const std::int64_t end = simulation.now_ns() + 10'000'000'000;
      auto agreed = (*group)->agree(kAll ^ turn, lazy ? Timeout::test() : Timeout(60s));
      while (lazy && agreed.status().timed_out() && simulation.now_ns() < end) {
        simulation.sleep(std::int64_t(random.below(2'000'000)));
        agreed = (*group)->agree(kAll ^ turn, Timeout::test());
      }
      ASSERT_TRUE(ok(agreed)) << "rank " << rt.rank() << " in turn " << turn;
      EXPECT_EQ(agreed->bits, kAll ^ turn);
    }
  })));
}

TEST_P(AgreeSeeds, AGroupMadeAnewIsAnother) {
  for_seeds(200, run_anew);
}

}  // namespace
}  // namespace polder::test
