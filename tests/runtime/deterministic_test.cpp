// One thread, virtual time: the same seed takes the same course, whatever the machine does meanwhile.
#include "core/ranks.hpp"

namespace polder::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

SimulationOptions deterministic(std::uint64_t seed, const World& world = {SimulatedDevice::network, 4, 50'000}) {
  SimulationOptions options = world.options();
  options.seed = seed;
  options.deterministic = true;
  return options;
}

// Whatever makes ranks meet.
void meet(Runtime& rt) {
  ASSERT_TRUE(ok(rt.create_segment({.size = 4096, .id = 1, .notifications = 64}, rt.world(), kPatience)));
  for (std::uint32_t turn = 1; turn <= 5; ++turn) {
    ASSERT_TRUE(ok(rt.notify(next_of(rt), 1, {.id = 3, .value = turn}, Post(kPatience))));
    ASSERT_TRUE(ok(rt.wait_some(1, 3, 1, kPatience)));
    ASSERT_TRUE(ok(rt.reset(1, 3)));
    ASSERT_TRUE(ok(rt.fetch_add<std::uint64_t>({0, 1, 0}, 1, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  }
  ASSERT_EQ(*rt.fetch_add<std::uint64_t>({0, 1, 0}, 0, kPatience), rt.size() * 5);
}

struct Course {
  std::uint64_t steps = 0, hash = 0;
  std::int64_t time_ns = 0;
  bool operator==(const Course&) const = default;
};

Course course_of(Rank ranks, const SimulationOptions& options, const std::function<void(Runtime&)>& body = meet) {
  Simulation simulation(ranks, options);
  run_ranks(simulation, body);
  return {simulation.steps(), simulation.course(), simulation.now_ns()};
}

class Deterministic : public testing::TestWithParam<World> {};

TEST_P(Deterministic, TheSameSeedTakesTheSameCourse) {
  const World& world = GetParam();
  const Course course = course_of(world.ranks, deterministic(3, world));
  EXPECT_GT(course.steps, world.ranks);
  EXPECT_EQ(course_of(world.ranks, deterministic(3, world)), course);
  EXPECT_NE(course_of(world.ranks, deterministic(4, world)).hash, course.hash);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Deterministic, testing::ValuesIn(worlds({2, 5})), name_of_param);

TEST(Simulated, AnHourOfWaitingTakesNoTime) {
  const SimulationOptions options = deterministic(1);
  Simulation simulation(2, options);
  run_ranks(simulation, [&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 1, .notifications = 1}, rt.world(), kPatience)));
    EXPECT_TRUE(fails(rt.wait_some(1, 0, 1, 30min), Code::timeout));
    simulation.sleep(1800 * kSecond - kSecond);
  });
  EXPECT_GE(simulation.now_ns(), 3599 * kSecond);
}

TEST(Simulated, OneWhoPollsLetsTheOthersGoOn) {
  Simulation simulation(2, deterministic(1));
  run_ranks(simulation, [&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 1, .notifications = 1}, rt.world(), kPatience)));
    if (rt.rank() == 0) {
      simulation.sleep(100'000);
      ASSERT_TRUE(ok(rt.notify(1, 1, {.id = 0, .value = 1})));
    } else {
      while (rt.wait_some(1, 0, 1, Timeout::test()).status().timed_out()) {
      }
    }
  });
}

TEST(Simulated, FaultsComeAtTheirTime) {
  SimulationOptions options = deterministic(5);
  Simulation simulation(4, options);
  simulation.at(kSecond / 10, [&] { simulation.kill(2); });
  std::vector<Code> seen(4, Code::ok);
  ASSERT_TRUE(ok(simulation.run([&](Runtime& rt) {
    while (seen[rt.rank()] == Code::ok) seen[rt.rank()] = rt.world().barrier(1h).code();
    EXPECT_GE(simulation.now_ns(), kSecond / 10);
  })));
  EXPECT_EQ(seen, (std::vector<Code>{Code::peer_failed, Code::peer_failed, Code::closed, Code::peer_failed}));
}

TEST(Simulated, FaultsThatTheSeedDrawsAreTheSameAgain) {
  SimulationOptions options = deterministic(11);
  options.faults = {.kills = 2, .cuts = 1, .within_ns = 2'000'000, .heal_after_ns = 500'000};
  const auto course = [&] {
    Simulation simulation(6, options);
    int gone = 0;
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      while (rt.world().barrier(kPatience).ok()) {
      }
      for (const Health health : rt.health()) gone += health != Health::healthy;
    })));
    EXPECT_GT(gone, 0);
    return simulation.course();
  };
  EXPECT_EQ(course(), course());
}

TEST(Simulated, ThoseThatNeverEndAreNamed) {
  SimulationOptions options = deterministic(1);
  options.limit_ns = 10 * kSecond;
  Simulation simulation(3, options);
  const Status status = simulation.run([&](Runtime& rt) {
    if (rt.rank() == 1) return simulation.sleep(20 * kSecond);
    (void)rt.world().barrier(Timeout::block());
  });
  EXPECT_TRUE(fails(status, Code::timeout, "seed 1"));
  EXPECT_TRUE(fails(status, Code::timeout, "rank 0, rank 1, rank 2"));
}

TEST(Simulated, DrawsNoFaultsForThreads) {
  SimulationOptions options = deterministic(1);
  options.deterministic = false;
  options.faults.kills = 1;
  EXPECT_TRUE(fails(Simulation(2, options).run([](Runtime&) {}), Code::invalid_argument));
}

}  // namespace
}  // namespace polder::test
