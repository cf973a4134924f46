// What ranks show of their long waits to those who look from outside, in virtual time.
#include "bootstrap/standing.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/outside.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>
#include <polder/mutex.hpp>

#include <optional>
#include <string>
#include <vector>

namespace polder::test {
namespace {

using bootstrap::LongWait;

class LongWaits : public OnRanks {
 protected:
  static std::optional<LongWait> standing(Runtime& rt, Rank rank) {
    auto* standing = rt.world().state().ports().outside.bootstrap->standing(rank);
    return standing == nullptr ? std::nullopt : standing->read(clock_here().now_ns());
  }
  static std::string text(const std::optional<LongWait>& wait) { return wait ? wait->text() : "(none)"; }
  static std::vector<Rank> whom(const std::optional<LongWait>& wait) {
    if (!wait) return {};
    return {wait->whom.begin(), wait->whom.begin() + std::ptrdiff_t(wait->named())};
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, LongWaits,
                         testing::Values(World{SimulatedDevice::direct, 3, 0, 0, true},
                                         World{SimulatedDevice::network, 3, 150'000, 0, true},
                                         World{SimulatedDevice::messages, 3, 150'000, 0, true}),
                         name_of_param);

constexpr auto kLate = 400ms;  // longer than a wait that is shown, and than some looks

TEST_P(LongWaits, InABarrierForThoseThatHaveNotCome) {
  run([](Runtime& rt) {
    if (rt.rank() != 1) {
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      return;
    }
    const std::int64_t before = clock_here().now_ns();
    EXPECT_EQ(text(standing(rt, 0)), "(none)");
    rest(kLate);
    for (const Rank rank : {0u, 2u}) {
      const auto wait = standing(rt, rank);
      EXPECT_EQ(text(wait), "in barrier of the world") << rank;
      EXPECT_EQ(whom(wait), std::vector<Rank>{1}) << rank;
      ASSERT_TRUE(wait);
      EXPECT_GT(clock_here().now_ns() - wait->since_ns, std::int64_t(kLate / 2ns));
      EXPECT_LT(wait->since_ns - before, 20'000'000);
    }
    EXPECT_EQ(standing(rt, 0)->meeting, standing(rt, 2)->meeting);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(LongWaits, AreOverWhenTheyAre) {
  run([](Runtime& rt) {
    if (rt.rank() == 1) rest(kLate);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(text(standing(rt, rt.rank())), "(none)");
  });
}

TEST_P(LongWaits, InACollectiveForThoseThatHaveNotCome) {
  run([](Runtime& rt) {
    const std::vector<std::uint64_t> mine(1024, rt.rank());  // too many for what a board holds
    std::vector<std::uint64_t> sum(mine.size());
    const auto add = [&] {
      return allreduce(rt.world(), Reduction::sum, DataType::uint64, mine.data(), sum.data(), mine.size(), kPatience);
    };
    if (rt.rank() != 2) {
      ASSERT_TRUE(ok(add()));
      return;
    }
    rest(kLate);
    EXPECT_EQ(text(standing(rt, 0)), "in allreduce of the world");
    EXPECT_EQ(whom(standing(rt, 0)), std::vector<Rank>{2});
    ASSERT_TRUE(ok(add()));
  });
}

TEST_P(LongWaits, ForANotification) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 7, .notifications = 8}, rt.world(), kPatience)));
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok(rt.wait_some(7, 3, 2, kPatience, {.rank = 1})));
    } else if (rt.rank() == 1) {
      rest(kLate);
      EXPECT_EQ(text(standing(rt, 0)), "for notifications 3 to 4 of segment 7");
      EXPECT_EQ(whom(standing(rt, 0)), std::vector<Rank>{1});
      ASSERT_TRUE(ok(rt.notify(0, 7, {.id = 4}, kPatience)));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    }
  });
}

// As doors do that must look after something else in between.
TEST_P(LongWaits, BySlicesAreOneWait) {
  run([](Runtime& rt) {
    if (rt.rank() == 0) {
      Status status = Code::timeout;
      while (status.timed_out()) status = rt.world().barrier(3ms);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(text(standing(rt, 0)), "(none)");
      return;
    }
    if (rt.rank() == 1) {
      rest(kLate);
      const auto wait = standing(rt, 0);
      EXPECT_EQ(text(wait), "in barrier of the world");
      ASSERT_TRUE(wait);
      EXPECT_GT(clock_here().now_ns() - wait->since_ns, std::int64_t(kLate / 2ns));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(LongWaits, ForAMutexFromItsHolder) {
  run([](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    if (rt.rank() == 2) {
      ASSERT_TRUE(ok((*mutexes)->lock({0, 0}, kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      ASSERT_TRUE(ok((*mutexes)->lock({0, 0}, kPatience)));
      ASSERT_TRUE(ok((*mutexes)->unlock({0, 0}, kPatience)));
    } else if (rt.rank() == 2) {
      rest(kLate);
      EXPECT_EQ(text(standing(rt, 1)), "for mutex 0 of rank 0");
      EXPECT_EQ(whom(standing(rt, 1)), std::vector<Rank>{2});
      ASSERT_TRUE(ok((*mutexes)->unlock({0, 0}, kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));  // before one of them goes away
  });
}

// A rank of another node cannot be seen; who waits for it says whose word is missing.
TEST(LongWaitsOfNodes, AreForAnotherNode) {
  const World world{SimulatedDevice::network, 4, 150'000, 2, true};
  run_ranks(world.ranks, world.options(), [](Runtime& rt) {
    auto& bootstrap = *rt.world().state().ports().outside.bootstrap;
    const auto read = [&](Rank rank) { return bootstrap.standing(rank)->read(clock_here().now_ns()); };
    if (rt.rank() == 2) {
      EXPECT_EQ(bootstrap.standing(0), nullptr);
      rest(kLate);
      const auto beside = read(3);
      ASSERT_TRUE(beside);
      EXPECT_EQ(beside->whom[0], 2u);
    } else if (rt.rank() == 0) {
      rt.world().barrier(200ms).code();
      const auto waiting = read(1);
      ASSERT_TRUE(waiting);
      EXPECT_EQ(waiting->text(), "in barrier of the world");
      EXPECT_EQ(waiting->missing, 1u);
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
