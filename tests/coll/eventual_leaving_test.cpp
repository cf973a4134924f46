// Members of eventual collectives that end their object while others go on, and those that leave an operation at their own deadline.
#include "coll/eventual_doubles.hpp"
#include "coll/in_virtual_time.hpp"
#include "core/ranks.hpp"

#include <polder/eventual.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace polder::test {
namespace {

class EventualLeaving : public InVirtualTime {};
INSTANTIATE_TEST_SUITE_P(Devices, EventualLeaving, every_device());

// To the others it is a dead one, whatever they wait for, and also if they do so already.
TEST_P(EventualLeaving, WhoHasEndedItsObjectIsNotWaitedFor) {
  for (const EventualWay way : {EventualWay::flat, EventualWay::binomial, EventualWay::slices}) {
    Simulation simulation(4, options());
    run_ranks(simulation, [&](Runtime& rt) {
      auto eventual = make_doubles(rt, {.way = way});
      if (rt.rank() == 3) return simulation.sleep(10'000'000);
      const std::vector<double> mine(kDoubles, 1);
      for (int round = 0; round < 3; ++round) {
        std::vector<double> result(kDoubles, -1);
        auto status = eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), {}, kPatience);
        ASSERT_TRUE(ok(status));
        EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2}));
        EXPECT_EQ(status->ended, Ended::deaths);
        EXPECT_EQ(result, std::vector<double>(kDoubles, 3));
        status = eventual->reduce(1, sum_of_doubles(), mine.data(), result.data(), {}, kPatience);
        ASSERT_TRUE(ok(status));
        EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2}));
        std::vector<double> data(kDoubles, rt.rank());
        status = eventual->broadcast(2, sum_of_doubles(), data.data(), {}, kPatience);
        ASSERT_TRUE(ok(status));
        EXPECT_EQ(data, std::vector<double>(kDoubles, 2));
        EXPECT_TRUE(fails(eventual->broadcast(3, sum_of_doubles(), data.data(), {}, kPatience), Code::peer_failed));
        EXPECT_TRUE(
            fails(eventual->reduce(3, sum_of_doubles(), mine.data(), result.data(), {}, kPatience), Code::peer_failed));
      }
    });
  }
}

// It had come, and gave its call up.
TEST_P(EventualLeaving, WhoEndsItsObjectInACallIsNotWaitedFor) {
  for (const EventualWay way : {EventualWay::flat, EventualWay::slices}) {
    Simulation simulation(4, options());
    run_ranks(simulation, [&](Runtime& rt) {
      auto eventual = make_doubles(rt, {.way = way});
      const std::vector<double> mine(kDoubles, 1);
      std::vector<double> result(kDoubles, -1);
      const auto call = [&](Timeout timeout) {
        return eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), {}, timeout);
      };
      if (rt.rank() == 3) {
        EXPECT_TRUE(fails(call(1ms), Code::timeout));
        return;
      }
      if (rt.rank() == 0) simulation.sleep(20'000'000);
      for (int round = 0; round < 6; ++round) {
        const auto status = call(kPatience);
        ASSERT_TRUE(ok(status));
        EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2}));
        EXPECT_EQ(status->ended, Ended::deaths);
        EXPECT_EQ(result, std::vector<double>(kDoubles, 3));
      }
    });
  }
}

// Its last operation counts for those that come later, and all have the same.
TEST_P(EventualLeaving, WhoEndsItsObjectAfterACallHasBeenInIt) {
  for (const EventualWay way : {EventualWay::flat, EventualWay::slices})
    for (const Rank late : {Rank{0}, Rank{3}}) {
      Simulation simulation(4, options());
      run_ranks(simulation, [&](Runtime& rt) {
        auto eventual = make_doubles(rt, {.way = way});
        const std::vector<double> mine(kDoubles, 1);
        std::vector<double> result(kDoubles, -1);
        if (rt.rank() == late) simulation.sleep(1'000'000'000);
        const auto status =
            eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), {.deadline = 50ms}, kPatience);
        ASSERT_TRUE(ok(status));
        EXPECT_EQ(status->contributors.size(), 3u);
        EXPECT_EQ(status->mine, rt.rank() == late ? Counted::no : Counted::yes);
        EXPECT_EQ(result, std::vector<double>(kDoubles, 3));
      });
    }
}

// The root may count it when it has left.
TEST_P(EventualLeaving, WhoLeavesAnEnhancementDoesNotKnowWhetherItCounted) {
  Simulation simulation(3, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt, {.way = EventualWay::flat});
    const std::vector<double> mine(kDoubles, 1);
    std::vector<double> result(kDoubles, -1);
    if (rt.rank() == 2) simulation.sleep(100'000'000);
    auto status = eventual->reduce(0, sum_of_doubles(), mine.data(), result.data(), {.members = 0.6}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1}));
    EXPECT_EQ(status->mine, rt.rank() == 2 ? Counted::no : Counted::yes);
    if (rt.rank() == 0) simulation.sleep(1'000'000'000);
    Threshold more{};
    if (rt.rank() != 0) more.deadline = std::chrono::milliseconds(50);
    status = eventual->enhance(more, kPatience);
    ASSERT_TRUE(ok(status));
    if (rt.rank() == 0) {
      EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2}));
    } else {
      EXPECT_EQ(status->ended, Ended::deadline);
      EXPECT_EQ(status->mine, rt.rank() == 2 ? Counted::unknown : Counted::yes);
    }
  });
}

}  // namespace
}  // namespace polder::test
