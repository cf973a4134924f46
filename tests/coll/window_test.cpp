// The windows of a group's members: waiting in them.
#include "coll/window/window.hpp"
#include "core/ranks.hpp"

#include <cstdint>

namespace polder::test {
namespace {

// Where there is no room for what is posted it is asked for again soon, and the wait goes on.
TEST(MemberWindow, WaitsForAsLongAsItIsAskedToThoughTheWayIsCrowded) {
  constexpr std::int64_t kWay = 20'000'000;  // ns
  Simulation simulation(2, {.device = SimulatedDevice::network,
                            .min_delay_ns = kWay,
                            .max_delay_ns = kWay,
                            .runtime = {.timeout = kPatience},
                            .deterministic = true});
  run_ranks(simulation, [&](Runtime& rt) {
    coll::MemberWindow window(rt.world(), 64, 2, 1);
    ASSERT_TRUE(ok(window.commit(kPatience)));
    const Rank next = next_of(rt);
    while (window.raise(next, 0, 1)) continue;
    const std::int64_t begun = window.clock().now_ns();
    const auto never = [&] {
      (void)window.raise(next, 0, 1);
      return false;
    };
    EXPECT_TRUE(fails(window.wait(never, false, 10ms), Code::timeout));
    EXPECT_GE(window.clock().now_ns() - begun, 10'000'000);
    // Nobody rings when the way is free again.
    EXPECT_FALSE(window.raise(next, 0, 1));
    EXPECT_TRUE(ok(window.wait([&] { return window.raise(next, 1, 1); }, false, kPatience)));
    EXPECT_TRUE(ok(window.wait([&] { return window.is_raised(1, 1); }, false, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
