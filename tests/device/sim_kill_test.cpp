#include "sim_fixture.hpp"

namespace polder::device::sim {
namespace {

constexpr std::int64_t kDetection = 20'000'000;
constexpr std::int64_t kDelay = 10'000'000;

class SimKill : public testing::Test {
 protected:
  Network network_{{.ranks = 3, .min_delay_ns = kDelay, .max_delay_ns = kDelay, .detection_ns = kDetection}};
  std::uint64_t value_ = 1;
};

TEST_F(SimKill, ItsOwnOperationsFailAtOnceAndTouchNothing) {
  Watch put, get, later;
  std::uint64_t back = 5;
  ASSERT_TRUE(network_.put(1, 0, &value_, 0, &put).ok());
  ASSERT_TRUE(network_.get(1, 0, &back, 1, &get).ok());
  network_.memory(0).words[1] = 8;
  network_.fabric().kill(1);
  EXPECT_TRUE(put.is_done());
  EXPECT_EQ(put.status().code(), Code::closed);
  EXPECT_EQ(get.wait().code(), Code::closed);
  EXPECT_EQ(network_.put(1, 0, &value_, 0, &later).code(), Code::closed);
  EXPECT_EQ(network_.device(1).send(0, 0, {}, {}).code(), Code::closed);
  EXPECT_EQ(network_.device(1).expose(nullptr, 8).status().code(), Code::closed);
  EXPECT_EQ(network_.device(1).connect(0, network_.device(0).address()).code(), Code::closed);
  std::this_thread::sleep_for(3 * std::chrono::nanoseconds(kDelay));
  EXPECT_EQ(network_.memory(0).words[0], 0u);
  EXPECT_EQ(back, 5u);
}

TEST_F(SimKill, OthersFailAfterTheDetectionTime) {
  Watch under_way, after, unharmed;
  const std::int64_t before = util::now_ns();
  ASSERT_TRUE(network_.put(0, 1, &value_, 0, &under_way).ok());
  network_.fabric().kill(1);
  ASSERT_TRUE(network_.put(0, 1, &value_, 1, &after).ok());
  ASSERT_TRUE(network_.put(0, 2, &value_, 0, &unharmed).ok());
  EXPECT_EQ(under_way.wait().code(), Code::peer_failed);
  EXPECT_EQ(after.wait().code(), Code::peer_failed);
  EXPECT_GE(after.done_ns() - before, kDetection);
  EXPECT_TRUE(unharmed.wait().ok());
  EXPECT_TRUE(eventually([&] { return network_.lost(0, 1) == 1 && network_.lost(2, 1) == 1; }));
  EXPECT_EQ(network_.lost(0, 2) + network_.lost(2, 0), 0);
  Watch refused;
  EXPECT_EQ(network_.put(0, 1, &value_, 0, &refused).code(), Code::peer_failed);
  EXPECT_EQ(network_.connect(0, 1).code(), Code::peer_failed);
}

TEST_F(SimKill, NothingIsWrittenToItsMemoryAnyMore) {
  Watch put, flag, add;
  ASSERT_TRUE(network_.put(0, 1, &value_, 0, &put).ok());
  ASSERT_TRUE(network_.notify(2, 1, Memory::flag(0), &flag).ok());
  ASSERT_TRUE(network_.atomic(2, 1, {.offset = Memory::word_offset(1), .operand = 1}, &add).ok());
  network_.fabric().kill(1);
  EXPECT_EQ(put.wait().code(), Code::peer_failed);
  EXPECT_EQ(flag.wait().code(), Code::peer_failed);
  EXPECT_EQ(add.wait().code(), Code::peer_failed);
  EXPECT_EQ(network_.memory(1).words[0], 0u);
  EXPECT_EQ(network_.memory(1).words[1], 0u);
  EXPECT_EQ(network_.memory(1).flags[0], 0u);
}

TEST_F(SimKill, MemoryOfTheUserMayGoAwayAtOnce) {
  auto mine = std::make_unique<std::uint64_t[]>(1000);
  auto exposure = network_.device(1).expose(mine.get(), 8000);
  ASSERT_TRUE(exposure.ok());
  auto region = network_.device(0).import(1, exposure->key, nullptr);
  ASSERT_TRUE(region.ok());
  auto source = std::make_unique<std::uint64_t[]>(1000);
  std::vector<Watch> watches(20);
  for (std::size_t i = 0; i < 10; ++i) {
    const Piece in{reinterpret_cast<std::byte*>(&value_), i * 8, 8};
    ASSERT_TRUE(network_.device(0).put(1, *region, {&in, 1}, &watches[i]).ok());
    ASSERT_TRUE(network_.put(1, 0, &source[i], i, &watches[10 + i]).ok());
  }
  network_.fabric().kill(1);
  mine.reset();  // the address sanitizer sees whoever still comes here
  source.reset();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(watches[i].wait().code(), i < 10 ? Code::peer_failed : Code::closed);
}

TEST_F(SimKill, MessagesAreGone) {
  Network network({.ranks = 2, .detection_ns = kDetection});
  ASSERT_TRUE(network.device(0).send(1, 0, {}, {}).ok());
  network.fabric().kill(1);
  Mailbox box;
  EXPECT_EQ(network.device(1).progress(box), 0);
}

TEST_F(SimKill, WakesASleeper) {
  std::thread sleeper([&] {
    const std::int64_t before = util::now_ns();
    network_.device(1).wait(10'000'000'000);
    EXPECT_LT(util::now_ns() - before, 5'000'000'000);
  });
  std::this_thread::sleep_for(5ms);
  network_.fabric().kill(1);
  sleeper.join();
}

TEST_F(SimKill, TwiceOrUnknownRanksAreHarmless) {
  network_.fabric().kill(1);
  network_.fabric().kill(1);
  network_.fabric().kill(99);
  network_.fabric().cut(0, 99);
  network_.fabric().heal(0, 2);
  EXPECT_TRUE(eventually([&] { return network_.lost(0, 1) == 1; }));
}

TEST_F(SimKill, FromInsideACallback) {
  struct Killer final : CompletionSink {
    explicit Killer(Fabric& f) : fabric(f) {}
    void local() override {}
    void remote(const Status& status) override {
      EXPECT_TRUE(status.ok());
      fabric.kill(1);
      done = true;
    }
    Fabric& fabric;
    std::atomic<bool> done{false};
  } killer(network_.fabric());
  const Piece piece{reinterpret_cast<std::byte*>(&value_), Memory::word_offset(0), 8};
  ASSERT_TRUE(network_.device(0).put(2, network_.region(0, 2), {&piece, 1}, &killer).ok());
  EXPECT_TRUE(eventually([&] { return network_.lost(0, 1) == 1 && killer.done; }));
}

}  // namespace
}  // namespace polder::device::sim
