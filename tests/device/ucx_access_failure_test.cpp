// Peers that die or fall silent while their memory is reached.
#include "network_fixture.hpp"

namespace polder::device::network {
namespace {

// With puts and gets that reach into memory, by UCX's own imitation of that over TCP.
class UcxFailureOfAccesses : public NetworkProcesses {
 protected:
  // The first puts go by messages, because there is no key yet.
  void warm_up() {
    std::vector<std::byte> source(Memory::word_offset(4096));
    for (int i = 0; i < 5; ++i) {
      Watch watch;
      const Piece piece{source.data(), 0, source.size()};
      ASSERT_TRUE((*side_.rank)->put(1, side_.its_memory, {&piece, 1}, &watch).ok());
      ASSERT_TRUE(watch.wait().ok()) << watch.status().to_string();
    }
  }
  WithOption on_{"POLDER_UCX_RMA", "on"}, all_{"POLDER_UCX_RMA_BYTES", "1"};
};

TEST_F(UcxFailureOfAccesses, ADeadPeerEndsPutsAndGets) {
  start([](Side&) { return ::pause(), 1; });
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_NO_FATAL_FAILURE(warm_up());
  stop_child();
  std::vector<std::byte> source(Memory::word_offset(4096), std::byte{7}), back(source.size());
  std::vector<Watch> puts(10), gets(3);
  for (Watch& watch : puts) {
    const Piece piece{source.data(), 0, source.size()};
    ASSERT_TRUE((*side_.rank)->put(1, side_.its_memory, {&piece, 1}, &watch).ok());
  }
  for (Watch& watch : gets) {
    const Piece piece{back.data(), 0, back.size()};
    ASSERT_TRUE((*side_.rank)->get(1, side_.its_memory, {&piece, 1}, &watch).ok());
  }
  end_child();
  for (Watch& watch : puts) EXPECT_EQ(watch.wait().code(), Code::peer_failed) << watch.status().to_string();
  for (Watch& watch : gets) EXPECT_EQ(watch.wait().code(), Code::peer_failed) << watch.status().to_string();
  EXPECT_TRUE(eventually([&] { return side_.rank->lost() == std::vector<Rank>{1}; }));
}

class UcxSilenceOfAccesses : public UcxFailureOfAccesses {
 protected:
  WithOption patience_{"POLDER_UCX_PEER_TIMEOUT_MS", "700"};
};

TEST_F(UcxSilenceOfAccesses, AStoppedPeerEndsThemToo) {
  start([](Side&) { return ::pause(), 1; });
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_NO_FATAL_FAILURE(warm_up());
  stop_child();
  std::vector<std::byte> source(Memory::word_offset(4096), std::byte{7});
  std::vector<Watch> puts(10);
  for (Watch& watch : puts) {
    const Piece piece{source.data(), 0, source.size()};
    ASSERT_TRUE((*side_.rank)->put(1, side_.its_memory, {&piece, 1}, &watch).ok());
  }
  for (Watch& watch : puts) EXPECT_EQ(watch.wait().code(), Code::peer_failed) << watch.status().to_string();
}

}  // namespace
}  // namespace polder::device::network
