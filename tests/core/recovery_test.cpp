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

// Ranks 1 and 3 die, one in the middle of the work, the other while the survivors of the first one come together.
void recover(SimulatedDevice device, int work, int rounds_of_late) {
  constexpr Rank kRanks = 6;
  Simulation simulation(kRanks, {.device = device, .runtime = {.timeout = kPatience}});
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

TEST(Recovery, TwoDeathsAtAnyTime) {
  for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages, SimulatedDevice::shm})
    for (const int work : {0, 3})
      for (const int late : {0, 2}) recover(device, work, late);
}

}  // namespace
}  // namespace polder::test
