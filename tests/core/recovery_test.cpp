// The recovery loop of docs/guide/recovery.md, word for word, while ranks die at any time.
#include "../examples/recovery/survivors.hpp"
#include "core/ranks.hpp"

#include <fstream>
#include <sstream>

namespace polder::test {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Recovery, TheGuideShowsThisVeryCode) {
  const std::string root = POLDER_SOURCE_ROOT;
  const std::string code = text_of(root + "/examples/recovery/survivors.hpp");
  const std::size_t begin = code.find("inline std::vector<polder::Rank> living");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_NE(text_of(root + "/docs/guide/recovery.md").find(code.substr(begin)), std::string::npos);
}

// Ranks 1 and 3 die, one in the middle of the work, the other while the survivors of the first one come together. REQUIRES:
// work > 0, or a rank that still starts would end because another one is dead already.
void recover(const SimulationOptions& options, int work, int rounds_of_late) {
  constexpr Rank kRanks = 6;
  Simulation simulation(kRanks, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    Group* group = &rt.world();
    std::unique_ptr<Group> smaller;
    for (int round = 0; group->size() > kRanks - 2; ++round) {
      if (rt.rank() == 1 && round == work) return simulation.kill(1);
      const Status status = group->barrier(kPatience);
      if (status.ok()) {
        if (rt.rank() == 3 && smaller != nullptr && round > work + rounds_of_late) return simulation.kill(3);
        continue;
      }
      if (rt.rank() == 3 && rounds_of_late == 0) return simulation.kill(3);
      ASSERT_TRUE(fails(status, Code::peer_failed));
      auto next = survivors(rt);
      ASSERT_TRUE(ok(next));
      smaller = *std::move(next);
      group = smaller.get();
    }
    EXPECT_EQ(std::vector<Rank>(group->ranks().begin(), group->ranks().end()), (std::vector<Rank>{0, 2, 4, 5}));
    EXPECT_TRUE(ok(group->barrier(kPatience)));
  })));
}

SimulationOptions job(SimulatedDevice device) {
  return {.device = device, .runtime = {.timeout = kPatience}};
}

TEST(Recovery, TwoDeathsAtAnyTime) {
  for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages, SimulatedDevice::shm})
    for (const int work : {1, 3})
      for (const int late : {0, 2}) recover(job(device), work, late);
}

// In virtual time, where the seed says at which moment of a call each rank learns of a death.
TEST(Recovery, TwoDeathsInTwoHundredCourses) {
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulationOptions options = job(seed % 2 == 0 ? SimulatedDevice::network : SimulatedDevice::messages);
    options.max_delay_ns = 150'000;
    options.seed = seed;
    options.deterministic = true;
    recover(options, 1 + int(seed % 3), int(seed % 4));
  }
}

}  // namespace
}  // namespace polder::test
