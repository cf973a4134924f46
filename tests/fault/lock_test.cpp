// A rank dies with elements locked: its lock is taken over, and only its. One that has merely stopped is waited for.
#include "core/engine/engine.hpp"
#include "core/peers/root_layout.hpp"

#include "faulty.hpp"

namespace polder::test {
namespace {

class Lock : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, Lock,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::messages, SimulatedDevice::shm),
                         name_of_device);

constexpr Accumulation kSum{.op = Reduction::sum, .type = DataType::int64};

// Of a segment of this rank.
std::atomic<std::uint32_t>& owner_of_lock(Runtime& rt, SegmentId id, std::size_t lock) {
  auto segment = rt.engine().peer_segments().resolve(rt.rank(), id, kPatience);
  EXPECT_TRUE(ok(segment));
  return (*segment)->control->locks[lock].owner;
}

TEST_P(Lock, OfADeadRankIsTakenOver) {
  Simulation simulation(3, quick_detection(GetParam()));
  Meeting meeting(3);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 2 * core::SegmentControl::kLockSpan, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::vector<std::int64_t> ones(2 * core::SegmentControl::kLockSpan / 8, 1);
    const GlobalAddress place{0, 0, 0};
    const std::size_t bytes = ones.size() * 8;
    if (rt.rank() == 0) owner_of_lock(rt, 0, 1).store(1 + 1);  // as if rank 1 had stopped in the middle of its work
    meeting.wait();
    if (rt.rank() == 1) {
      meeting.wait();
      return;
    }
    if (rt.rank() == 2) {
      if (GetParam() != SimulatedDevice::messages) {  // there the target waits, and the initiator need not
        EXPECT_TRUE(fails(rt.accumulate(kSum, ones.data(), place + core::SegmentControl::kLockSpan, 8, Timeout(20ms)),
                          Code::timeout, "rank 1"))
            << "its owner lives";
      }
      simulation.kill(1);
      EXPECT_TRUE(ok(rt.accumulate(kSum, ones.data(), place, bytes, kPatience)));
      EXPECT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    }
    meeting.wait();
    if (rt.rank() != 0) return;
    EXPECT_EQ(owner_of_lock(rt, 0, 1).load(), 0u) << "and given back";
    EXPECT_TRUE(ok(rt.accumulate(kSum, ones.data(), place, bytes, kPatience)));
    for (const std::int64_t value : segment->as<std::int64_t>()) ASSERT_EQ(value, 2);
  })));
}

// Elements of rank 0 are locked by a rank that lives and has stopped. Whoever accumulates there waits; others are served,
// and what the one who waits has sent afterwards comes behind.
TEST(LockOfAStoppedRank, HoldsUpNobodyElse) {
  Simulation simulation(3, quick_detection(SimulatedDevice::messages));
  Meeting meeting(3);
  run_ranks(simulation, [&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 2 * core::SegmentControl::kLockSpan, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::vector<std::int64_t> ones(2 * core::SegmentControl::kLockSpan / 8, 1);
    const std::size_t bytes = ones.size() * 8;
    const GlobalAddress place{0, 0, 0};
    std::int64_t seen[2] = {7, 7};
    if (rt.rank() == 0) owner_of_lock(rt, 0, 1).store(1 + 1);  // of the second half
    meeting.wait();
    if (rt.rank() == 2) {
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(ok(rt.accumulate(kSum, ones.data(), place, bytes, kPatience)));
      ASSERT_TRUE(ok(rt.get(&seen[0], place + (bytes - 8), 8, kPatience)));
    }
    meeting.wait();
    if (rt.rank() == 1) {
      EXPECT_TRUE(ok(rt.get(&seen[1], place + (bytes - 8), 8, Until::remote)));
      EXPECT_EQ(seen[1], 0) << "nothing could be done there";
    }
    meeting.wait();
    if (rt.rank() == 0) owner_of_lock(rt, 0, 1).store(0);
    EXPECT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    if (rt.rank() == 2) {
      EXPECT_EQ(seen[0], 3) << "messages are carried out in their order";
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() != 0) return;
    for (const std::int64_t value : segment->as<std::int64_t>()) ASSERT_EQ(value, 3) << "each once";
  });
}

// Behind each other, they wait no longer than one of them, and meanwhile there is nothing to do. In virtual time.
TEST(LockOfAStoppedRank, HoldsUpAllTogetherOnlyOnce) {
  run_ranks(3, World{SimulatedDevice::messages, 3, 10'000, 0, true}.options(), [&](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    if (rt.rank() == 0) owner_of_lock(rt, 0, 0).store(1 + 1);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 2) {
      const std::int64_t one = 1;
      const std::int64_t begin = clock_here().now_ns();
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(ok(rt.accumulate(kSum, &one, {0, 0, 0}, sizeof one, kPatience)));
      EXPECT_TRUE(fails(rt.queue().wait(Completion::remote, kPatience), Code::peer_failed, "locked for too long"));
      EXPECT_LT(clock_here().now_ns() - begin, std::int64_t{6'000'000'000});
    }
    if (rt.rank() == 0) {
      rest(100ms);  // by then they are kept
      const std::int64_t begin = clock_here().now_ns();
      rt.progress();
      EXPECT_LT(clock_here().now_ns() - begin, std::int64_t{1'000'000'000});
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) owner_of_lock(rt, 0, 0).store(0);
  });
}

}  // namespace
}  // namespace polder::test
