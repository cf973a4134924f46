// A link breaks: both of its ends lose each other, and nobody else does.
#include "faulty.hpp"

namespace polder::test {
namespace {

class Cut : public testing::TestWithParam<SimulatedDevice> {
 protected:
  Simulation simulation_{3, quick_detection(GetParam())};
  Meeting meeting_{3};
};
INSTANTIATE_TEST_SUITE_P(Devices, Cut, testing::Values(SimulatedDevice::network, SimulatedDevice::messages),
                         name_of_device);

TEST_P(Cut, TheTwoEndsGoOnWithTheThird) {
  EXPECT_TRUE(ok(simulation_.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    for (Rank peer = 0; peer < 3; ++peer) ASSERT_TRUE(ok(rt.remote_segment(peer, 0, kPatience)));
    meeting_.wait();
    if (rt.rank() == 0) simulation_.cut(0, 1);
    const std::uint64_t value = 5;
    if (rt.rank() != 2) {
      const Rank lost = 1 - rt.rank();
      Status status;
      while (status.ok()) {
        status = rt.put(&value, {lost, 0, 8 * rt.rank()}, sizeof value, kPatience);
        if (status.ok()) status = rt.queue().wait(Completion::remote, kPatience);
      }
      EXPECT_TRUE(fails(status, Code::peer_failed, "rank " + std::to_string(lost)));
      while (rt.health(lost) == Health::healthy)
        std::this_thread::yield();  // operations may end a moment before the peer
      EXPECT_EQ(rt.health(lost), Health::failed);
      EXPECT_EQ(rt.health(2), Health::healthy);
    }
    meeting_.wait();
    if (rt.rank() == 2) {
      EXPECT_EQ(rt.health(0), Health::healthy);
      EXPECT_EQ(rt.health(1), Health::healthy);
    }
    // Two groups of two, of which rank 2 is in both.
    for (Rank end = 0; end < 2; ++end) {
      if (rt.rank() == 1 - end) continue;
      auto pair = rt.create_group(std::vector<Rank>{end, 2});
      ASSERT_TRUE(ok(pair));
      ASSERT_TRUE(ok((*pair)->commit(kPatience)));
      ASSERT_TRUE(ok((*pair)->barrier(kPatience)));
    }
    meeting_.wait();
  })));
}

TEST_P(Cut, AShortOneLosesNothing) {
  SimulationOptions patient = quick_detection(GetParam());
  patient.detection_ns = std::int64_t{100} * 1'000'000'000;
  Simulation simulation(2, patient);
  run_ranks(simulation, [&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (std::uint32_t round = 1; round <= 30; ++round) {
      if (rt.rank() == 0) {
        simulation.cut(0, 1);
        std::thread healer([&] {
          std::this_thread::sleep_for(500us);
          simulation.heal(0, 1);
        });
        const std::uint64_t value = round;
        EXPECT_TRUE(ok(rt.put_notify(&value, {1, 0, 0}, sizeof value, {.id = 1, .value = round}, kPatience)));
        EXPECT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
        healer.join();
      } else {
        ASSERT_TRUE(ok(rt.wait_some(0, 1, 1, kPatience)));
        EXPECT_EQ(rt.reset(0, 1).value_or(0), round);
        EXPECT_EQ(segment->as<std::uint64_t>()[0], round);
      }
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

// An operation is lost on its way to a segment that its owner revokes meanwhile: it ends with the runtime, and then
// nobody answers the owner any more.
TEST(CutOfOneWay, WhatIsUnderWayToARevokedSegmentEndsWithTheRuntime) {
  SimulationOptions options = World{SimulatedDevice::network, 2, 1'000, 0, true}.options();
  options.detection_ns = std::int64_t{60} * 1'000'000'000;
  Simulation simulation(2, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .notifications = 1}, rt.world(), kPatience)));
    const std::uint64_t value = 5;
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok(rt.put_notify(&value, {1, 0, 0}, sizeof value, {.id = 0}, Until::remote)));
      simulation.cut(0, 1);
      ASSERT_TRUE(ok(rt.put(&value, {1, 0, 0}, sizeof value)));
    } else {
      ASSERT_TRUE(ok(rt.wait_some(0, 0, 1, kPatience)));
      rest(1ms);
      EXPECT_TRUE(fails(rt.delete_segment(0), Code::timeout)) << "rank 0 does not answer";
    }
  })));
}

}  // namespace
}  // namespace polder::test
