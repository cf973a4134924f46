// A peer that was lost greets anew: over a transport of the test's own, which may tell by which way a greeting came.
#include "air_ranks.hpp"

#include <cstdint>
#include <vector>

namespace polder::device::wire {
namespace {

class MeetingAnew : public AirRanks {
 protected:
  void meet_again() {
    poll_often();
    devices_[0]->abandon(1);
    ASSERT_TRUE(devices_[0]->connect(1, devices_[1]->address()).ok());
    poll_often();
  }
  void poll_often() {
    for (int i = 0; i < 10; ++i) poll();
  }
  bool put(std::uint64_t value) {
    Watch watch;
    const Piece piece{.local = reinterpret_cast<std::byte*>(&value), .remote = 0, .bytes = sizeof value};
    if (!devices_[0]->put(1, region_, {&piece, 1}, &watch).ok()) return false;
    poll_often();
    return watch.is_done() && watch.status().ok() && *reinterpret_cast<std::uint64_t*>(word_) == value;
  }
};

// A connection that both use: to close it would end the new meeting, too.
TEST_F(MeetingAnew, TheWayByWhichAPeerGreetsServesOn) {
  air_.tells_ways = true;
  ASSERT_TRUE(put(1));
  const std::size_t opened = air_.opened[1];
  for (std::uint64_t round = 2; round < 5; ++round) {
    ASSERT_NO_FATAL_FAILURE(meet_again());
    EXPECT_TRUE(put(round));
  }
  EXPECT_EQ(air_.opened[1], opened);
}

TEST_F(MeetingAnew, WhereNoWayIsToldItIsMadeAnew) {
  ASSERT_TRUE(put(1));
  const std::size_t opened = air_.opened[1];
  ASSERT_NO_FATAL_FAILURE(meet_again());
  EXPECT_TRUE(put(2));
  EXPECT_EQ(air_.opened[1], opened + 1);
}

// Its operations have failed, and what comes late is refused.
TEST_F(MeetingAnew, WhatWasSentBeforeIsOfNoUse) {
  air_.tells_ways = true;
  ASSERT_TRUE(put(1));
  std::uint64_t late = 9;
  Watch watch;
  const Piece piece{.local = reinterpret_cast<std::byte*>(&late), .remote = 8, .bytes = sizeof late};
  ASSERT_TRUE(devices_[0]->put(1, region_, {&piece, 1}, &watch).ok());
  auto under_way = std::move(air_.to[1]);
  air_.to[1].clear();
  ASSERT_NO_FATAL_FAILURE(meet_again());
  for (auto& message : under_way) air_.to[1].push_back(message);
  poll_often();
  EXPECT_NE(reinterpret_cast<std::uint64_t*>(word_)[1], late);
  EXPECT_TRUE(put(2));
}

}  // namespace
}  // namespace polder::device::wire
