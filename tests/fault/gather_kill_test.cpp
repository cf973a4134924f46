// A rank dies while a group's set-up gathers. What the others still read is on its way when they are told, and must not
// arrive in memory that is theirs again.
#include "faulty.hpp"

#include "core/group/group_state.hpp"

#include <algorithm>

namespace polder::test {
namespace {

constexpr Rank kRanks = 5, kDead = 2;
constexpr std::int64_t kBegin = 50'000'000;  // all have started
constexpr std::byte kOurs{0xee};

SimulationOptions options_of(std::uint64_t seed) {
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = seed % 2 == 0 ? SimulatedDevice::network : SimulatedDevice::messages;
  options.max_delay_ns = 200'000;
  options.detection_ns = 1000;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

// Until the death is told.
void gather_until_told(Runtime& rt, Simulation& simulation) {
  std::vector<std::byte> mine(64, std::byte(rt.rank())), all(mine.size() * kRanks);
  Status status;
  while (status.ok()) status = rt.world().state().allgather(mine, all, 10s);
  std::fill(all.begin(), all.end(), kOurs);
  simulation.sleep(20'000'000);
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](std::byte each) { return each == kOurs; }))
      << "rank " << rt.rank() << " after " << status.to_string();
}

TEST(GatherSeeds, NothingArrivesAfterTheError) {
  for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(kRanks, options_of(seed));
    const std::int64_t moment = kBegin + std::int64_t(util::mix(seed) % 3'000'000);
    simulation.at(moment, [&simulation] { simulation.kill(kDead); });
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      simulation.sleep(kBegin - simulation.now_ns());
      gather_until_told(rt, simulation);
    })));
  }
}

}  // namespace
}  // namespace polder::test
