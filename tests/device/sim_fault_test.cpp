#include "sim_fixture.hpp"

namespace polder::device::sim {
namespace {

constexpr std::int64_t kDetection = 20'000'000;

class SimFault : public testing::TestWithParam<std::int64_t> {
 protected:
  Network network_{{.ranks = 3, .max_delay_ns = GetParam(), .detection_ns = kDetection}};
};

INSTANTIATE_TEST_SUITE_P(Delays, SimFault, testing::Values(0, 500'000),
                         [](const auto& param) { return param.param == 0 ? "immediate" : "delayed"; });

TEST_P(SimFault, CutFailsOperationsAndIsNoticedByBothEnds) {
  std::uint64_t value = 1;
  Watch put, unharmed;
  const std::int64_t before = util::now_ns();
  network_.fabric().cut(0, 1);
  ASSERT_TRUE(network_.put(0, 1, &value, 0, &put).ok()) << "nobody has noticed yet";
  EXPECT_EQ(put.wait().code(), Code::peer_failed);
  EXPECT_GE(put.done_ns() - before, kDetection);
  EXPECT_TRUE(eventually([&] { return network_.lost(0, 1) == 1 && network_.lost(1, 0) == 1; }));
  EXPECT_EQ(network_.memory(1).words[0], 0u);
  EXPECT_EQ(network_.put(0, 1, &value, 0, &put).code(), Code::peer_failed) << "refused from now on";
  EXPECT_EQ(network_.device(0).send(1, 0, {}, {}).code(), Code::peer_failed);
  ASSERT_TRUE(network_.put(0, 2, &value, 0, &unharmed).ok());
  EXPECT_TRUE(unharmed.wait().ok());
  EXPECT_EQ(network_.lost(2, 0) + network_.lost(2, 1) + network_.lost(0, 2), 0);
}

TEST_P(SimFault, FailedIsNotWrittenAfterTheHeal) {
  std::uint64_t value = 1;
  Watch put, flag;
  network_.fabric().cut(0, 1);
  ASSERT_TRUE(network_.put(0, 1, &value, 0, &put).ok());
  ASSERT_TRUE(network_.notify(0, 1, Memory::flag(0), &flag).ok());
  ASSERT_TRUE(network_.device(0).send(1, 0, {}, {}).ok());
  EXPECT_EQ(put.wait().code(), Code::peer_failed);
  EXPECT_EQ(flag.wait().code(), Code::peer_failed);
  network_.fabric().heal(0, 1);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(network_.memory(1).words[0], 0u);
  EXPECT_EQ(network_.memory(1).flags[0], 0u);
  Mailbox box;
  EXPECT_EQ(network_.device(1).progress(box), 0);
}

TEST_P(SimFault, LostPeerCanBeConnectedAnewAfterTheHeal) {
  network_.fabric().cut(0, 1);
  ASSERT_TRUE(eventually([&] { return network_.lost(0, 1) == 1; }));
  network_.fabric().heal(0, 1);
  ASSERT_TRUE(network_.connect(0, 1).ok());
  std::uint64_t value = 9;
  Watch put;
  ASSERT_TRUE(network_.put(0, 1, &value, 0, &put).ok());
  EXPECT_TRUE(put.wait().ok());
  EXPECT_EQ(network_.memory(1).words[0], 9u);
}

TEST_P(SimFault, ConnectingAcrossACutIsNoticedToo) {
  network_.fabric().cut(0, 1);
  ASSERT_TRUE(eventually([&] { return network_.lost(0, 1) == 1; }));
  ASSERT_TRUE(network_.connect(0, 1).ok());
  EXPECT_TRUE(eventually([&] { return network_.lost(0, 1) == 2; }));
}

TEST_P(SimFault, LostRepliesFailWhatWasDone) {
  // The data get there, their sender does not learn of it.
  std::uint64_t value = 1, back = 5;
  network_.memory(1).words[1] = 8;
  Watch put, get;
  network_.fabric().cut(1, 0);
  ASSERT_TRUE(network_.put(0, 1, &value, 0, &put).ok());
  ASSERT_TRUE(network_.get(0, 1, &back, 1, &get).ok());
  EXPECT_TRUE(eventually([&] { return network_.memory(1).words[0] == 1; }));
  EXPECT_TRUE(put.wait_local());
  EXPECT_EQ(put.wait().code(), Code::peer_failed);
  EXPECT_EQ(get.wait().code(), Code::peer_failed);
  EXPECT_EQ(back, 5u);
}

TEST_P(SimFault, ShortCutOnlyDelays) {
  Network patient({.ranks = 2, .max_delay_ns = GetParam(), .detection_ns = 10'000'000'000});
  std::uint64_t value = 1, back = 0;
  Watch put, get;
  patient.fabric().cut(0, 1);
  patient.fabric().cut(1, 0);
  ASSERT_TRUE(patient.put(0, 1, &value, 0, &put).ok());
  ASSERT_TRUE(patient.get(0, 1, &back, 0, &get).ok());
  ASSERT_TRUE(patient.device(0).send(1, 3, bytes_of("late"), {}).ok());
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(put.is_done());
  patient.fabric().heal(0, 1);
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(put.is_done()) << "the other direction is still cut";
  patient.fabric().heal(1, 0);
  EXPECT_TRUE(put.wait().ok());
  EXPECT_TRUE(get.wait().ok());
  Mailbox box;
  EXPECT_TRUE(eventually([&] { return patient.device(1).progress(box) == 1; }));
  EXPECT_EQ(patient.lost(0, 1) + patient.lost(1, 0), 0);
}

TEST_P(SimFault, CutHealedAndCutAgainStartsAnew) {
  Network network({.ranks = 2, .max_delay_ns = GetParam(), .detection_ns = 300'000'000});
  network.fabric().cut(0, 1);
  std::this_thread::sleep_for(150ms);
  network.fabric().heal(0, 1);
  const std::int64_t again = util::now_ns();
  network.fabric().cut(0, 1);
  ASSERT_TRUE(eventually([&] { return network.lost(0, 1) == 1; }));
  EXPECT_GE(util::now_ns() - again, 290'000'000) << "the first cut must not count";
}

TEST_P(SimFault, DisconnectFailsWhatIsUnderWay) {
  Network slow({.ranks = 2, .min_delay_ns = 20'000'000, .max_delay_ns = 20'000'000});
  std::uint64_t value = 1;
  Watch put, refused;
  ASSERT_TRUE(slow.put(0, 1, &value, 0, &put).ok());
  slow.device(0).disconnect(1);
  EXPECT_TRUE(put.is_done());
  EXPECT_EQ(put.status().code(), Code::peer_failed);
  EXPECT_EQ(slow.put(0, 1, &value, 0, &refused).code(), Code::peer_failed);
  std::this_thread::sleep_for(40ms);
  EXPECT_EQ(slow.memory(1).words[0], 0u);
  EXPECT_EQ(slow.lost(0, 1), 0) << "it was this rank's own wish";
}

TEST_P(SimFault, RankThatHasClosedIsNoFailureButAnswersNoMore) {
  std::uint64_t value = 1;
  network_.close(1);
  Watch put;
  ASSERT_TRUE(network_.put(0, 1, &value, 0, &put).ok());
  EXPECT_EQ(put.wait().code(), Code::peer_failed);
  EXPECT_EQ(network_.lost(0, 1), 0);
}

TEST_P(SimFault, ClosingEndsWhatIsUnderWay) {
  Network slow({.ranks = 2, .min_delay_ns = 20'000'000, .max_delay_ns = 20'000'000});
  std::uint64_t value = 1;
  Watch put;
  ASSERT_TRUE(slow.put(0, 1, &value, 0, &put).ok());
  slow.close(0);
  EXPECT_TRUE(put.is_done()) << "the callback has run when the device is gone";
  EXPECT_EQ(put.status().code(), Code::closed);
}

}  // namespace
}  // namespace polder::device::sim
