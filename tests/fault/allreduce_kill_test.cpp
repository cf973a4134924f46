// A rank dies in an allreduce over nodes, as their leader or not, before or in the middle of it.
#include "faulty.hpp"

#include <polder/collective.hpp>

namespace polder::test {
namespace {

constexpr Rank kRanks = 7, kPerNode = 3;  // 0 1 2, 3 4 5, 6

struct Death {
  Rank rank;
  std::size_t elements;  // of 8 bytes
  bool midway;           // it has begun; else it never comes
};

class KillInAllreduce : public testing::TestWithParam<Death> {};
INSTANTIATE_TEST_SUITE_P(Deaths, KillInAllreduce,
                         testing::Values(Death{0, 1, false}, Death{3, 1, true}, Death{4, 1, false}, Death{6, 1, true},
                                         Death{0, 100'000, true}, Death{3, 100'000, false}, Death{5, 100'000, true},
                                         Death{6, 100'000, true}),
                         [](const auto& made) {
                           const Death& death = made.param;
                           return "OfRank" + std::to_string(death.rank) + (death.midway ? "Midway" : "Before") +
                                  (death.elements == 1 ? "Short" : "Long");
                         });

// As far as it gets in some steps. Not to the end: rank 1 has not come yet.
void begin(Allreduce& reduction) {
  for (int step = 0; step < 20; ++step) EXPECT_TRUE(reduction.run(Timeout::test()).timed_out());
}

TEST_P(KillInAllreduce, IsToldToAll) {
  const Death& death = GetParam();
  SimulationOptions options = quick_detection(SimulatedDevice::network);
  options.ranks_per_node = kPerNode;
  Simulation simulation(kRanks, options);
  Meeting meeting(kRanks);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    const std::vector<std::uint64_t> mine(death.elements, rt.rank());
    std::vector<std::uint64_t> all(death.elements);
    const auto add = *reduction(Reduction::sum, DataType::uint64, mine.size());
    ASSERT_TRUE(ok(Allreduce(rt.world(), add, mine.data(), all.data()).run(kPatience))) << "all are well";
    Allreduce under_way(rt.world(), add, mine.data(), all.data());
    if (rt.rank() != 1 && (rt.rank() != death.rank || death.midway)) begin(under_way);
    meeting.wait();
    if (rt.rank() == 1) simulation.kill(death.rank);
    const std::string dead = "rank " + std::to_string(death.rank);
    if (rt.rank() == death.rank) {
      meeting.wait();  // the others have seen it
      EXPECT_TRUE(fails(under_way.run(kPatience), Code::closed));
    } else {
      Status told = under_way.run(kPatience);
      if (told.ok() && death.midway && death.elements == 1) {  // all that it had to give may have arrived
        under_way.begin_again(add, mine.data(), all.data());
        told = under_way.run(kPatience);
      }
      EXPECT_TRUE(fails(told, Code::peer_failed, dead));
      EXPECT_TRUE(fails(under_way.run(kPatience), Code::peer_failed, dead)) << "again";
      go_on_without(rt, death.rank);
      meeting.wait();
    }
    meeting.wait();  // so that nobody leaves before all have seen what they came for
  })));
}

}  // namespace
}  // namespace polder::test
