// Waits for a flag that nobody can raise any more, or not the one whom the caller watches.
#include "faulty.hpp"

namespace polder::test {
namespace {

enum class Gone { killed, left };

struct Loss {
  SimulatedDevice device;
  Gone how;
};

std::string name_of_loss(const testing::TestParamInfo<Loss>& made) {
  return name_of_device({made.param.device, 0}) + (made.param.how == Gone::killed ? "_killed" : "_left");
}

std::vector<Loss> losses() {
  std::vector<Loss> all;
  for (const SimulatedDevice device :
       {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages, SimulatedDevice::shm})
    for (const Gone how : {Gone::killed, Gone::left}) all.push_back({device, how});
  return all;
}

class Watched : public testing::TestWithParam<Loss> {
 protected:
  static constexpr Rank kRanks = 3;
  static constexpr Rank kLost = 1;

  // Rank kLost goes while rank 0 is in `wait`; rank 2 stays until that is over.
  void run(const std::function<void(Runtime&)>& wait) {
    std::atomic<bool> over{false};
    EXPECT_TRUE(ok(simulation_.run([&](Runtime& rt) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 8}, rt.world(), kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == kLost) return lose(rt);
      if (rt.rank() == 0) {
        wait(rt);
        over = true;
      }
      while (!over) rest(1ms);
    })));
  }

  void lose(Runtime& rt) {
    rest(5ms);  // mostly rank 0 sleeps by now; it may as well come later
    if (GetParam().how == Gone::killed) simulation_.kill(rt.rank());
  }

  Simulation simulation_{kRanks, quick_detection(GetParam().device)};
};
INSTANTIATE_TEST_SUITE_P(Losses, Watched, testing::ValuesIn(losses()), name_of_loss);

TEST_P(Watched, ARankThatIsGoneEndsTheWait) {
  run([](Runtime& rt) {
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, Timeout::block(), {.rank = kLost}), Code::peer_failed, "rank 1"));
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, Timeout::test(), {.rank = kLost}), Code::peer_failed, "rank 1")) << "again";
    const std::vector<Rank> both{2, kLost};
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, Timeout::block(), {.ranks = both}), Code::peer_failed, "rank 1"));
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, 1ms, {.rank = 2}), Code::timeout)) << "that one lives";
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, 1ms), Code::timeout)) << "rank 2 could still raise it";
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, 1ms, {.rank = 3}), Code::invalid_rank, "rank 3"));
  });
}

TEST_P(Watched, AChangeOfStatesEndsTheWait) {
  run([](Runtime& rt) {
    while (rt.health(kLost) == Health::healthy) {
      const std::uint64_t seen = rt.health_changes();
      if (rt.health(kLost) != Health::healthy) break;
      EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, Timeout::block(), {.changes = seen}), Code::peer_failed, "has changed"));
    }
    while (true) {  // one change may be told twice
      auto waited = rt.wait_some(0, 0, 8, 150ms, {.changes = rt.health_changes()});
      if (waited.status().timed_out()) break;
      EXPECT_TRUE(fails(waited, Code::peer_failed));
    }
  });
}

// All but rank 0 go, each of them after its flag.
TEST_P(Watched, WhatWasRaisedBeforeIsFoundAndThenNobodyIsLeft) {
  EXPECT_TRUE(ok(simulation_.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 8}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() != 0) {
      EXPECT_TRUE(ok(rt.notify(0, 0, {.id = rt.rank()})));
      EXPECT_TRUE(ok(rt.fence(0, kPatience)));
      return lose(rt);
    }
    for (Rank peer = 1; peer < kRanks; ++peer) {
      EXPECT_EQ(rt.wait_some(0, peer, 1, Timeout::block(), {.rank = peer}).value_or(99), peer);
      EXPECT_TRUE(ok(rt.reset(0, peer)));
    }
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 8, Timeout::block()), Code::peer_failed, "all other ranks"));
  })));
}

}  // namespace
}  // namespace polder::test
