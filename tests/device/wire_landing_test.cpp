// Parts of large transfers that a transport puts where they belong while they come, and memory that goes meanwhile.
#include "air_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace polder::device::wire {
namespace {

constexpr std::size_t kLength = 3 * kPartBytes + 1000;
constexpr std::uint64_t kNumber = 7;  // of a window

class Landing : public AirRanks {
 protected:
  Landing() : data_(kLength) {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = std::byte(i * 7 + i / 256);
    air_.lands = true;
  }

  // Puts it all to an offset of what rank 1 offers; of the second part only half has come then.
  void put_half(const Region& region, std::uint64_t offset, Watch& watch) {
    const Piece piece{data_.data(), offset, data_.size()};
    air_.held = 1;
    ASSERT_TRUE(devices_[0]->put(1, region, {&piece, 1}, &watch).ok());
    for (int i = 0; i < 20; ++i) poll();
    ASSERT_TRUE(air_.half_come && air_.landed == 1);
    ASSERT_FALSE(watch.is_done());
  }
  void finish(const Watch& watch) {
    air_.held = -1;
    for (int i = 0; i < 100 && !watch.is_done(); ++i) poll();
    ASSERT_TRUE(watch.is_done());
  }

  // As much is under way as lets what is small wait for company.
  void crowd(std::array<Watch, SendWindow::kAtOnce>& watches) {
    for (int i = 0; i < 10; ++i) poll();
    const Piece piece{data_.data(), 0, 8};
    for (Watch& watch : watches) ASSERT_TRUE(devices_[0]->put(1, region_, {&piece, 1}, &watch).ok());
  }
  // Posts one that waits, then all data, from kAt on.
  template <class Post>
  void expect_data_behind(const Post& post) {
    std::array<Watch, SendWindow::kAtOnce> before;
    Watch first, second;
    ASSERT_NO_FATAL_FAILURE(crowd(before));
    const std::size_t frames = air_.frames[1];
    ASSERT_TRUE(post(first).ok());
    const Piece piece{data_.data(), kAt, data_.size()};
    ASSERT_TRUE(devices_[0]->put(1, region_, {&piece, 1}, &second).ok());
    finish(second);
    EXPECT_TRUE(first.is_done() && first.status().ok() && second.status().ok());
    EXPECT_EQ(air_.frames[1] - frames, 4u) << "the first one keeps the first part company";
    EXPECT_TRUE(std::equal(data_.begin(), data_.end(), word_ + kAt)) << "what was posted last is there";
  }

  static constexpr std::size_t kAt = 256;
  std::vector<std::byte> data_;
};

TEST_F(Landing, PutsArriveWhole) {
  Watch watch;
  const Piece piece{data_.data(), 64, data_.size()};
  ASSERT_TRUE(devices_[0]->put(1, region_, {&piece, 1}, &watch).ok());
  finish(watch);
  EXPECT_TRUE(watch.status().ok());
  EXPECT_TRUE(std::equal(data_.begin(), data_.end(), word_ + 64));
  EXPECT_EQ(air_.landed, 4) << "each part";
}

TEST_F(Landing, AnswersToGetsArriveWhole) {
  std::copy(data_.begin(), data_.end(), word_);
  std::vector<std::byte> into(data_.size());
  Watch watch;
  const Piece piece{into.data(), 0, into.size()};
  ASSERT_TRUE(devices_[0]->get(1, region_, {&piece, 1}, &watch).ok());
  finish(watch);
  EXPECT_EQ(into, data_);
  EXPECT_EQ(air_.landed, 4);
}

TEST_F(Landing, APutInCompanyIsNotCarriedOutOverWhatCameBehindIt) {
  std::vector<std::byte> old(8, std::byte{0xee});
  const Piece piece{old.data(), kAt + 16, old.size()};
  expect_data_behind([&](Watch& watch) { return devices_[0]->put(1, region_, {&piece, 1}, &watch); });
  EXPECT_EQ(air_.landed, 3) << "all but the first";
}

TEST_F(Landing, NorIsOneThatNamesTheSameBytesOtherwise) {
  const auto again = devices_[1]->expose(word_, kAirBytes);
  ASSERT_TRUE(again.ok());
  const Region region = devices_[0]->import(1, again->key, nullptr).value_or({});
  std::vector<std::byte> old(8, std::byte{0xee});
  const Piece piece{old.data(), kAt + kPartBytes - 4, old.size()};  // to the last bytes of the first part
  expect_data_behind([&](Watch& watch) { return devices_[0]->put(1, region, {&piece, 1}, &watch); });
}

TEST_F(Landing, NorIsAFlagRaisedOverIt) {
  expect_data_behind([&](Watch& watch) {
    return devices_[0]->put_notify(1, region_, {}, region_, {kAt + 64, 64, 0xeeeeeeee}, &watch);
  });
}

TEST_F(Landing, WhatTouchesOtherBytesKeepsItCompany) {
  std::vector<std::byte> front(8, std::byte{0xee});
  const Piece piece{front.data(), kAt - front.size(), front.size()};
  expect_data_behind([&](Watch& watch) {
    return devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {8, 64, 1}, &watch);
  });
  EXPECT_EQ(air_.landed, 4) << "each part";
  EXPECT_TRUE(std::equal(front.begin(), front.end(), word_ + kAt - front.size()));
}

// There a copy has to wait for a page, which nothing may do under the device's lock.
TEST_F(Landing, NothingLandsWhereAPageMayBeMissing) {
  announce_a_filler();
  std::copy(data_.begin(), data_.end(), word_);
  std::vector<std::byte> into(data_.size());
  Watch watch;
  const Piece piece{into.data(), 0, into.size()};
  ASSERT_TRUE(devices_[0]->get(1, region_, {&piece, 1}, &watch).ok());
  finish(watch);
  EXPECT_EQ(into, data_);
  EXPECT_EQ(air_.landed, 0);
}

TEST_F(Landing, ARegionThatIsConcealedMeanwhileIsNotTouched) {
  std::vector<std::byte> memory(kLength);
  const auto exposure = devices_[1]->expose(memory.data(), memory.size());
  ASSERT_TRUE(exposure.ok());
  const Region region = devices_[0]->import(1, exposure->key, nullptr).value_or({});
  Watch watch;
  ASSERT_NO_FATAL_FAILURE(put_half(region, 0, watch));
  devices_[1]->conceal(*exposure);
  const std::vector<std::byte> before = memory;
  finish(watch);
  EXPECT_EQ(watch.status().code(), Code::invalid_segment) << watch.status().to_string();
  EXPECT_EQ(memory, before);
}

TEST_F(Landing, AWindowThatIsOpenedElsewhereMeanwhileGetsNoRest) {
  const auto exposure = devices_[1]->expose(nullptr, 64);
  ASSERT_TRUE(exposure.ok());
  const Region region = devices_[0]->import(1, exposure->key, nullptr).value_or({});
  std::vector<std::byte> first(kLength), second(kLength);
  const MemoryRun runs[] = {MemoryRun(first), MemoryRun(second)};
  ASSERT_TRUE(devices_[1]->open_window(*exposure, kNumber, {&runs[0], 1}));
  Watch watch;
  ASSERT_NO_FATAL_FAILURE(put_half(region, window_offset(kNumber), watch));
  devices_[1]->close_window(*exposure, kNumber);
  ASSERT_TRUE(devices_[1]->open_window(*exposure, kNumber, {&runs[1], 1}));
  const std::vector<std::byte> before = first;
  finish(watch);
  EXPECT_FALSE(watch.status().ok()) << "a part of it is nowhere";
  EXPECT_EQ(first, before);
  const auto torn = std::ptrdiff_t(kPartBytes);
  EXPECT_TRUE(
      std::all_of(second.begin() + torn, second.begin() + 2 * torn, [](std::byte b) { return b == std::byte{0}; }));
}

// A part that belongs to two runs is copied; the others land.
TEST_F(Landing, WindowsOfSeveralRunsAreFilledInTheirOrder) {
  const auto exposure = devices_[1]->expose(nullptr, 64);
  ASSERT_TRUE(exposure.ok());
  const Region region = devices_[0]->import(1, exposure->key, nullptr).value_or({});
  std::vector<std::byte> memory(kLength);
  const MemoryRun whole(memory);
  const std::size_t half = kPartBytes + kPartBytes / 2;
  const MemoryRun runs[] = {whole.last(half), whole.first(kLength - half)};
  ASSERT_TRUE(devices_[1]->open_window(*exposure, kNumber, runs));
  Watch watch;
  const Piece piece{data_.data(), window_offset(kNumber), data_.size()};
  ASSERT_TRUE(devices_[0]->put(1, region, {&piece, 1}, &watch).ok());
  finish(watch);
  EXPECT_TRUE(watch.status().ok()) << watch.status().to_string();
  EXPECT_TRUE(std::equal(runs[0].begin(), runs[0].end(), data_.begin()));
  EXPECT_TRUE(std::equal(runs[1].begin(), runs[1].end(), data_.begin() + std::ptrdiff_t(half)));
  EXPECT_EQ(air_.landed, 3) << "of four parts";
}

}  // namespace
}  // namespace polder::device::wire
