// Ranks that wait show the others since when they have a core (util/core_turns.hpp).
#include "bootstrap/standing.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/outside.hpp"
#include "core/ranks.hpp"
#include "util/clock.hpp"

#include <polder/collective.hpp>

#include <cstdint>

namespace polder::test {
namespace {

class TurnsBeside : public OnRanks {
 protected:
  static std::int64_t turn_of(Runtime& rt, Rank rank) {
    auto* standing = rt.world().state().ports().outside.bootstrap->standing(rank);
    return standing == nullptr ? 0 : standing->turn().begin_ns.load();
  }
  // Rank 1 meets the others once each of them has shown a turn of this wait.
  template <class Meet>
  void all_show(Meet&& meet) {
    run([&](Runtime& rt) {
      const std::int64_t begin = util::now_ns();
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 1) {
        const util::Deadline deadline(kPatience);
        for (const Rank other : {0u, 2u})
          while (turn_of(rt, other) < begin && !deadline.passed()) util::yield_core();
        for (const Rank other : {0u, 2u}) EXPECT_GE(turn_of(rt, other), begin) << other;
      }
      ASSERT_TRUE(ok(meet(rt)));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, TurnsBeside,
                         testing::Values(World{SimulatedDevice::direct, 3}, World{SimulatedDevice::network, 3},
                                         World{SimulatedDevice::network, 3, 0, 3}),
                         name_of_param);

TEST_P(TurnsBeside, AreShownInABarrier) {
  all_show([](Runtime& rt) { return rt.world().barrier(kPatience); });
}

TEST_P(TurnsBeside, AreShownInACollective) {
  all_show([](Runtime& rt) {
    std::uint64_t mine = rt.rank(), sum = 0;
    return allreduce(rt.world(), Reduction::sum, DataType::uint64, &mine, &sum, 1, kPatience);
  });
}

}  // namespace
}  // namespace polder::test
