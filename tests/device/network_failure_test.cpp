// Peers that die, fall silent, or leave.
#include "network_fixture.hpp"

#include <algorithm>

namespace polder::device::network {
namespace {

using NetworkFailure = NetworkProcesses;

TEST_F(NetworkFailure, ADeadPeerIsReportedAndItsOperationsEnd) {
  start([](Side&) { return ::pause(), 1; });
  ASSERT_FALSE(HasFatalFailure());
  std::uint64_t value = 1;
  Watch first;
  ASSERT_TRUE(put_word(&value, 0, first).ok());
  ASSERT_TRUE(first.wait().ok());
  stop_child();  // so that nothing is answered any more
  constexpr std::size_t kPuts = 50;
  std::vector<Watch> watches(kPuts + 1);
  for (std::size_t i = 0; i < kPuts; ++i) ASSERT_TRUE(put_word(&value, i, watches[i]).ok());
  std::uint64_t old = 0;
  const Piece piece = piece_of(&old, Memory::word_offset(0), 8);
  ASSERT_TRUE((*side_.rank)->get(1, side_.its_memory, {&piece, 1}, &watches[kPuts]).ok());
  end_child();
  EXPECT_EQ(watches.front().wait().code(), Code::peer_failed);
  EXPECT_EQ(side_.rank->lost(), std::vector<Rank>{1}) << "reported before operations fail for it";
  for (Watch& watch : watches) EXPECT_EQ(watch.wait().code(), Code::peer_failed) << watch.status().to_string();
  Watch refused;
  EXPECT_EQ(put_word(&value, 0, refused).code(), Code::peer_failed);
  EXPECT_FALSE(refused.is_local() || refused.is_done());
  EXPECT_EQ((*side_.rank)->send(1, 0, {}, {}).code(), Code::peer_failed);
}

TEST_F(NetworkFailure, ALargePutToADeadPeerEnds) {
  start([](Side&) { return ::pause(), 1; });
  ASSERT_FALSE(HasFatalFailure());
  std::vector<std::uint64_t> source(1 << 20, 7);
  stop_child();
  std::vector<Watch> watches(3);
  for (Watch& watch : watches) {
    const Piece piece = piece_of(source.data(), 0, sizeof(Memory));
    ASSERT_TRUE((*side_.rank)->put(1, side_.its_memory, {&piece, 1}, &watch).ok());
  }
  end_child();
  for (Watch& watch : watches) EXPECT_EQ(watch.wait().code(), Code::peer_failed) << watch.status().to_string();
}

TEST_F(NetworkFailure, WhoLeavesIsNotLost) {
  start([](Side&) { return 0; });
  ASSERT_FALSE(HasFatalFailure());
  expect_good_end();
  Watch watch;
  std::uint64_t value = 1;
  EXPECT_TRUE(eventually([&] { return (*side_.rank)->send(1, 0, {}, {}).code() == Code::peer_failed; }));
  EXPECT_EQ(put_word(&value, 0, watch).code(), Code::peer_failed);
}

TEST_F(NetworkFailure, LastWordsArrive) {
  start([](Side& side) {
    for (std::uint32_t i = 0; i < 200; ++i)
      if (!eventually([&] { return (*side.rank)->send(0, HandlerId(i), bytes_of("a last word"), {}).ok(); })) return 1;
    return 0;  // and is gone
  });
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_TRUE(eventually([&] { return side_.rank->mail().size() == 200; }));
  expect_good_end();
  EXPECT_EQ(side_.rank->lost(), std::vector<Rank>{}) << "it said goodbye";
}

// The child is stopped, not dead: its connection lives, and the kernel takes what is sent to it.
class NetworkSilence : public NetworkProcesses {
 protected:
  WithOption patience_{tested().option("PEER_TIMEOUT_MS"), "700"};
};

TEST_F(NetworkSilence, WhatFailedIsNeverWrittenWhenThePeerWakesUp) {
  constexpr std::size_t kPuts = 40;
  start([](Side& side) {
    char awake = 0;
    if (!tell(side, 'r') || !hear(side, awake)) return 1;
    // Whatever was on its way has been looked at by now.
    std::this_thread::sleep_for(300ms);
    for (std::size_t i = 0; i < kPuts; ++i)
      if (side.mine().words[i] != 0) return 2;
    return eventually([&] { return !side.rank->lost().empty(); }) ? 0 : 3;
  });
  ASSERT_FALSE(HasFatalFailure());
  char ready = 0;
  ASSERT_TRUE(hear(side_, ready));
  Watch flushed;
  std::uint64_t value = 1;
  ASSERT_TRUE(put_word(&value, kPuts, flushed).ok());
  ASSERT_TRUE(flushed.wait().ok());
  stop_child();
  std::vector<Watch> watches(kPuts);
  for (std::size_t i = 0; i < kPuts; ++i) {
    ASSERT_TRUE(put_word(&value, i, watches[i]).ok());
    std::this_thread::sleep_for(2ms);
  }
  for (Watch& watch : watches) EXPECT_EQ(watch.wait().code(), Code::peer_failed) << watch.status().to_string();
  EXPECT_EQ(side_.rank->lost(), std::vector<Rank>{1});
  ::kill(child_, SIGCONT);
  ASSERT_TRUE(tell(side_, 'a'));
  expect_good_end();
}

TEST_F(NetworkSilence, AnIdlePeerThatFallsSilentIsLost) {
  start([](Side&) { return ::pause(), 1; });
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_TRUE(eventually([&] { return (*side_.rank)->send(1, 0, {}, {}).ok(); }));
  stop_child();
  EXPECT_TRUE(eventually([&] { return side_.rank->lost() == std::vector<Rank>{1}; }));
}

TEST_F(NetworkSilence, ThoseWhoWakeUpMayBeReachedAnew) {
  start([](Side& side) {
    char awake = 0;
    if (!tell(side, 'r') || !hear(side, awake)) return 1;
    if (!eventually([&] { return side.mine().words[5] == 5; })) return 2;
    return tell(side, 'd') && hear(side, awake) ? 0 : 3;
  });
  ASSERT_FALSE(HasFatalFailure());
  char word = 0;
  ASSERT_TRUE(hear(side_, word));
  const auto address = address_;
  stop_child();
  // Twice, if it was silent for too long on a busy machine before. It may have been stopped before the way to it was made.
  ASSERT_TRUE(eventually([&] { return !side_.rank->lost().empty(); })) << "nobody was lost";
  ::kill(child_, SIGCONT);
  ASSERT_TRUE(tell(side_, 'a'));
  std::uint64_t value = 5;
  // More than once, if need be: on a busy machine either may be silent for too long again.
  EXPECT_TRUE(eventually([&] {
    Watch watch;
    return (*side_.rank)->connect(1, address).ok() && put_word(&value, 5, watch).ok() && watch.wait().ok();
  }));
  ASSERT_TRUE(hear(side_, word));
  ASSERT_TRUE(tell(side_, 'e'));
  expect_good_end();
}

TEST_F(NetworkSilence, SilenceMayBeAllowed) {
  WithOption forever(tested().option("PEER_TIMEOUT_MS"), "0");
  start([](Side& side) {
    char word = 0;
    if (!tell(side, 'r') || !hear(side, word)) return 1;
    return eventually([&] { return side.mine().words[3] == 3; }) ? 0 : 2;
  });
  ASSERT_FALSE(HasFatalFailure());
  char word = 0;
  ASSERT_TRUE(hear(side_, word));
  stop_child();
  std::this_thread::sleep_for(1200ms);
  Watch watch;
  std::uint64_t value = 3;
  ASSERT_TRUE(put_word(&value, 3, watch).ok());
  ::kill(child_, SIGCONT);
  EXPECT_TRUE(watch.wait().ok()) << watch.status().to_string();
  EXPECT_EQ(side_.rank->lost(), std::vector<Rank>{});
  ASSERT_TRUE(tell(side_, 'a'));
  expect_good_end();
}

}  // namespace
}  // namespace polder::device::network
