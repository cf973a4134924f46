// A rank dies: whoever needs it is told, nobody waits for good, and the others go on.
#include "faulty.hpp"

namespace polder::test {
namespace {

constexpr Rank kRanks = 4, kDead = 1;

class Kill : public testing::TestWithParam<SimulatedDevice> {
 protected:
  // Runs `body` at each survivor and `end` at the rank that is killed while it is in there.
  void run(const std::function<void(Runtime&)>& body, const std::function<void(Runtime&)>& end) {
    EXPECT_TRUE(ok(simulation_.run([&](Runtime& rt) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 100'000, .id = 0}, rt.world(), kPatience)));
      meeting_.wait();  // nobody is killed before all are here
      rt.rank() == kDead ? end(rt) : body(rt);
      meeting_.wait();  // so that nobody leaves before all have seen what they came for
    })));
  }

  Simulation simulation_{kRanks, quick_detection(GetParam())};
  Meeting meeting_{kRanks};
};
INSTANTIATE_TEST_SUITE_P(Devices, Kill,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages,
                                         SimulatedDevice::shm),
                         name_of_device);

TEST_P(Kill, InABarrier) {
  run(
      [&](Runtime& rt) {
        if (rt.rank() == 2) simulation_.kill(kDead);
        EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed, "rank 1"));
        EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed, "rank 1")) << "again";
        EXPECT_EQ(rt.health(kDead), Health::failed);
        EXPECT_EQ(rt.health(rt.rank()), Health::healthy);
        go_on_without(rt, kDead);
      },
      [](Runtime& rt) {
        // It waits for something that never comes, until it is dead.
        EXPECT_TRUE(fails(rt.wait_some(0, 5, 1, kPatience), Code::closed));
        EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::closed));
        EXPECT_TRUE(fails(rt.put("x", {0, 0, 0}, 1), Code::closed));
        EXPECT_TRUE(fails(rt.create_segment({.size = 1}), Code::closed));
      });
}

TEST_P(Kill, InAStreamOfPuts) {
  std::atomic<int> streams{0};
  run(
      [&](Runtime& rt) {
        const auto block = noise(rt.rank(), 5000);
        const GlobalAddress place{kDead, 0, rt.rank() * std::uint64_t{5000}};
        Status status;
        for (int turn = 0; status.ok(); ++turn) {
          status = rt.put_notify(block.data(), place, block.size(), {.id = rt.rank()}, kPatience);
          if (status.ok() && turn % 8 == 7) status = rt.queue().wait(Completion::remote, kPatience);
          if (turn == 20 && ++streams == int(kRanks) - 1) simulation_.kill(kDead);
        }
        EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1"));
        EXPECT_TRUE(ok(rt.queue().purge(kPatience)));
        EXPECT_TRUE(fails(rt.put("x", place, 1), Code::peer_failed, "rank 1"));
        go_on_without(rt, kDead);
      },
      [](Runtime& rt) { EXPECT_TRUE(fails(rt.wait_some(0, 50, 1, kPatience), Code::closed)); });
}

TEST_P(Kill, InAFloodOfMessagesAndUpdates) {
  std::atomic<int> floods{0};
  run(
      [&](Runtime& rt) {
        const auto letter = noise(rt.rank(), 2000);
        const std::int64_t ones[100] = {1};
        Status status;
        for (int turn = 0; status.ok(); ++turn) {
          status = rt.send(kDead, 3, letter, kPatience);
          if (status.ok()) status = rt.fetch_add({kDead, 0, 8}, std::uint64_t{1}, kPatience).status();
          if (status.ok())
            status = rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, ones, {kDead, 0, 800}, sizeof ones,
                                   kPatience);
          if (turn == 20 && ++floods == int(kRanks) - 1) simulation_.kill(kDead);
        }
        EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1"));
        EXPECT_TRUE(ok(rt.queue().purge(kPatience)));
        EXPECT_TRUE(fails(rt.fence(kDead, kPatience), Code::peer_failed, "rank 1"));
        EXPECT_TRUE(ok(rt.fence_all(kPatience))) << "what is lost is over";
        go_on_without(rt, kDead);
      },
      [&](Runtime& rt) {
        ASSERT_TRUE(ok(rt.register_handler(3, [](Rank, auto) {})));
        EXPECT_TRUE(fails(rt.wait_some(0, 50, 1, kPatience), Code::closed));
      });
}

TEST_P(Kill, BeforeAGroupIsCommitted) {
  run(
      [&](Runtime& rt) {
        auto group = rt.create_group(0, kRanks);
        ASSERT_TRUE(ok(group));
        EXPECT_FALSE((*group)->commit(Timeout::test()).ok()) << "rank 1 makes no group";
        if (rt.rank() == 0) simulation_.kill(kDead);
        EXPECT_TRUE(fails((*group)->commit(kPatience), Code::peer_failed, "rank 1"));
        EXPECT_FALSE((*group)->committed());
        group->reset();
        go_on_without(rt, kDead);
      },
      [](Runtime& rt) { EXPECT_TRUE(fails(rt.wait_some(0, 5, 1, kPatience), Code::closed)); });
}

TEST_P(Kill, OfAllOthersEndsAWait) {
  EXPECT_TRUE(ok(simulation_.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience)));
    meeting_.wait();
    if (rt.rank() != 0) {
      // It may hear of the others' end before its own.
      const Status end = rt.wait_some(0, 0, 1, kPatience).status();
      EXPECT_TRUE(end.code() == Code::closed || end.code() == Code::peer_failed) << end.to_string();
      return;
    }
    for (Rank rank = 1; rank < kRanks; ++rank) simulation_.kill(rank);
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 1, kPatience), Code::peer_failed));
  })));
}

TEST_P(Kill, ByARankOfTheJob) {
  run(
      [&](Runtime& rt) {
        if (rt.rank() == 3) {
          EXPECT_TRUE(ok(rt.mark_failed(kDead)));
        }
        EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed, "rank 1"));
        go_on_without(rt, kDead);
        meeting_.wait();
      },
      [&](Runtime&) { meeting_.wait(); });
}

}  // namespace
}  // namespace polder::test
