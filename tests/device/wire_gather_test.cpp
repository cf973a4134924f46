// Small operations travel together where much is under way already: over a transport of the test's own, which counts what is sent.
#include "air_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

namespace polder::device::wire {
namespace {

constexpr std::size_t kOperations = 256;
constexpr std::size_t kFew = 2 * SendWindow::kAtOnce;

class Gathering : public AirRanks {
 protected:
  Gathering() : old_(kOperations) {}

  // Nobody polls while they are posted: the first leave at once, the others together when somebody does.
  template <class Post>
  void expect_few_frames(const Post& post) {
    Watch first;
    ASSERT_TRUE(post(0, first).ok());
    for (int i = 0; i < 10; ++i) poll();
    ASSERT_TRUE(first.is_done()) << "the way is open";
    const std::size_t before = air_.frames[1];
    std::vector<Watch> watches(kOperations);
    for (std::size_t i = 0; i < kOperations; ++i) {
      ASSERT_TRUE(post(i, watches[i]).ok()) << i;
      if (i + 1 == SendWindow::kAtOnce) {
        EXPECT_EQ(air_.frames[1] - before, SendWindow::kAtOnce) << "while little is under way";
      }
    }
    for (int i = 0; i < 10; ++i) poll();
    for (const Watch& watch : watches) EXPECT_TRUE(watch.is_done() && watch.status().ok());
    EXPECT_LT(air_.frames[1] - before, kFew) << "for " << kOperations << " operations";
  }

  std::vector<std::uint64_t> old_;
};

TEST_F(Gathering, Atomics) {
  expect_few_frames([&](std::size_t i, Watch& watch) {
    return devices_[0]->atomic(1, region_, {.operand = 1, .old = &old_[i]}, &watch);
  });
  // The first was posted twice.
  for (std::size_t i = 0; i < kOperations; ++i) ASSERT_EQ(old_[i], i + 1) << "in the order of posting";
}

TEST_F(Gathering, Gets) {
  *reinterpret_cast<std::uint64_t*>(word_) = 5;
  expect_few_frames([&](std::size_t i, Watch& watch) {
    const Piece piece{reinterpret_cast<std::byte*>(&old_[i]), 0, 8};
    return devices_[0]->get(1, region_, {&piece, 1}, &watch);
  });
  EXPECT_EQ(old_, std::vector<std::uint64_t>(kOperations, 5));
}

TEST_F(Gathering, Puts) {
  for (std::size_t i = 0; i < kOperations; ++i) old_[i] = i;
  expect_few_frames([&](std::size_t i, Watch& watch) {
    const Piece piece{reinterpret_cast<std::byte*>(&old_[i]), 0, 8};
    return devices_[0]->put(1, region_, {&piece, 1}, &watch);
  });
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(word_), kOperations - 1);
}

// From memory whose pages may be missing, of which the device knows since a thread has said that it fills some, and from memory that the device knows to be there: a part of either is one frame.
TEST_F(Gathering, AFlagGoesWithTheLastPartOfItsData) {
  std::vector<std::byte> data(kMostData);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i * 7 + i / 256);
  const auto* const flag = reinterpret_cast<std::atomic<std::uint32_t>*>(word_);
  std::uint32_t value = 0;
  announce_a_filler();
  for (const bool own : {false, true}) {
    if (own) devices_[0]->own(data.data(), data.size());
    for (const std::size_t bytes : {kPackLimit, kPackLimit + 1, kPartBytes, kPartBytes + 1, kMostData}) {
      std::fill_n(word_ + kControl, kMostData, std::byte{0});
      const std::size_t before = air_.frames[1];
      const Piece piece{data.data(), kControl, bytes};
      Watch watch;
      ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {0, 64, ++value, false}, &watch).ok());
      for (int i = 0; i < 40 && !watch.is_done(); ++i) {
        poll();
        const bool is_raised = flag->load() == value;
        EXPECT_TRUE(!is_raised || std::equal(data.begin(), data.begin() + std::ptrdiff_t(bytes), word_ + kControl));
      }
      EXPECT_TRUE(watch.is_done() && watch.status().ok());
      EXPECT_EQ(flag->load(), value);
      EXPECT_EQ(word_[kControl + bytes], std::byte{0});
      EXPECT_EQ(air_.frames[1] - before, (bytes + kPartBytes - 1) / kPartBytes) << bytes << " bytes";
    }
  }
  devices_[0]->disown(data.data());
}

TEST_F(Gathering, NoWindowIsOpenedOverPagesThatMayBeMissing) {
  const auto exposure = devices_[0]->expose(nullptr, 64);
  ASSERT_TRUE(exposure.ok());
  std::vector<std::byte> memory(1000);
  const auto opens = [&](std::uint64_t number) {
    const MemoryRun run(memory);
    return devices_[0]->open_window(*exposure, number, {&run, 1});
  };
  EXPECT_TRUE(opens(1));
  announce_a_filler();
  EXPECT_FALSE(opens(2));
  devices_[0]->own(memory.data(), memory.size());
  EXPECT_TRUE(opens(3));
}

TEST_F(Gathering, AFlagInCompanyGoesWithWhatFollowsOrWithThePoll) {
  const auto post_flag = [&](std::uint64_t offset, bool in_company, Watch& watch) {
    return devices_[0]->put_notify(1, region_, {}, region_, {offset, 64, 1, false, in_company}, &watch);
  };
  Watch opened, first, second, third;
  ASSERT_TRUE(post_flag(0, false, opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  const std::size_t before = air_.frames[1];
  ASSERT_TRUE(post_flag(0, true, first).ok());
  EXPECT_EQ(air_.frames[1], before);
  ASSERT_TRUE(post_flag(4, false, second).ok());
  EXPECT_EQ(air_.frames[1], before + 1);
  ASSERT_TRUE(post_flag(8, true, third).ok());
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_TRUE(first.is_done() && second.is_done() && third.is_done());
  const auto* const flags = reinterpret_cast<const std::uint32_t*>(word_);
  EXPECT_TRUE(flags[0] == 1 && flags[1] == 1 && flags[2] == 1);
}

// Nor does it leave before that where a thread sleeps until something comes, if more follows.
TEST_F(Gathering, AFlagThatIsFollowedWaitsBesideASleeper) {
  const auto post_flag = [&](std::uint64_t offset, bool in_company, bool followed, Watch& watch) {
    return devices_[0]->put_notify(1, region_, {}, region_, {offset, 64, 1, false, in_company, followed}, &watch);
  };
  Watch opened, first, second;
  std::deque<Watch> alone;
  ASSERT_TRUE(post_flag(0, false, false, opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  std::atomic<bool> is_over{false};
  std::thread sleeper([&] {
    while (!is_over) devices_[0]->wait(10'000'000'000);
  });
  // A flag in company leaves at once as soon as the thread sleeps.
  std::size_t before = 0;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    before = air_.frames[1];
    ASSERT_TRUE(alone.size() < 10'000 && post_flag(4, true, false, alone.emplace_back()).ok());
  } while (air_.frames[1] == before);
  before = air_.frames[1];
  ASSERT_TRUE(post_flag(8, true, true, first).ok());
  EXPECT_EQ(air_.frames[1], before);
  ASSERT_TRUE(post_flag(12, false, false, second).ok());
  EXPECT_EQ(air_.frames[1], before + 1);
  is_over = true;
  devices_[0]->wake();
  sleeper.join();
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_TRUE(first.is_done() && second.is_done());
  for (const Watch& watch : alone) EXPECT_TRUE(watch.is_done());
  const auto* const flags = reinterpret_cast<const std::uint32_t*>(word_);
  EXPECT_TRUE(flags[1] == 1 && flags[2] == 1 && flags[3] == 1);
}

constexpr std::size_t kMostFlags = kMostCompany / sizeof(FlagRecord);

// As credits go with the next long letter: a frame less, and they are raised before it is there.
TEST_F(Gathering, FlagsInCompanyGoInFrontOfAPart) {
  std::vector<std::byte> data(kMostData, std::byte{7});
  const auto* const flags = reinterpret_cast<const std::uint32_t*>(word_);
  std::uint32_t value = 0;
  announce_a_filler();
  for (const bool own : {false, true}) {
    if (own) devices_[0]->own(data.data(), data.size());
    for (const std::size_t bytes : {kPackLimit + 1, kPartBytes, 2 * kPartBytes})
      for (const std::size_t count : {std::size_t{1}, kMostFlags, kMostFlags + 1}) {
        std::fill_n(word_ + kControl, kMostData, std::byte{0});
        const std::size_t before = air_.frames[1];
        std::vector<Watch> watches(count + 1);
        ++value;
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_TRUE(devices_[0]
                          ->put_notify(1, region_, {}, region_, {4 * (i + 1), 64, value, false, true}, &watches[i])
                          .ok());
        EXPECT_EQ(air_.frames[1], before);
        const Piece piece{data.data(), kControl, bytes};
        ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {0, 64, value}, &watches[count]).ok());
        for (int i = 0; i < 40; ++i) poll();
        for (const Watch& watch : watches) EXPECT_TRUE(watch.is_done() && watch.status().ok());
        for (std::size_t i = 0; i <= count; ++i) EXPECT_EQ(flags[i], value) << i;
        EXPECT_TRUE(std::equal(data.begin(), data.begin() + std::ptrdiff_t(bytes), word_ + kControl));
        EXPECT_EQ(word_[kControl + bytes], std::byte{0});
        // Parts of memory whose pages may be missing are copied first, each into a frame of its own.
        const std::size_t parts = (bytes + kPartBytes - 1) / kPartBytes;
        EXPECT_EQ(air_.frames[1] - before, parts + (own && count <= kMostFlags ? 0 : 1))
            << bytes << " bytes, " << count;
      }
  }
  devices_[0]->disown(data.data());
}

// As the head of a letter does, which lies elsewhere than its content.
TEST_F(Gathering, AShortPieceGoesInFrontOfTheLongOneBehindIt) {
  std::vector<std::byte> data(kMostData, std::byte{7});
  const auto* const flag = reinterpret_cast<const std::uint32_t*>(word_);
  std::uint32_t value = 0;
  announce_a_filler();
  for (const bool own : {false, true}) {
    if (own) devices_[0]->own(data.data(), data.size());
    for (const std::size_t head : {std::size_t{1}, kCompanyBytes, 2 * kCompanyBytes})
      for (const std::size_t bytes : {2 * kPackLimit, kPartBytes, 2 * kPartBytes}) {
        std::vector<std::byte> front(head, std::byte{9});
        std::fill_n(word_ + kControl, kMostData, std::byte{0});
        const std::size_t before = air_.frames[1];
        const Piece pieces[] = {{front.data(), kControl, head}, {data.data(), kControl + head, bytes - head}};
        Watch watch;
        ASSERT_TRUE(devices_[0]->put_notify(1, region_, pieces, region_, {0, 64, ++value}, &watch).ok());
        std::fill(front.begin(), front.end(), std::byte{1});  // it has been copied
        for (int i = 0; i < 40; ++i) poll();
        EXPECT_TRUE(watch.is_done() && watch.status().ok());
        EXPECT_EQ(*flag, value);
        EXPECT_EQ(std::count(word_ + kControl, word_ + kControl + head, std::byte{9}), std::ptrdiff_t(head));
        EXPECT_EQ(std::count(word_ + kControl + head, word_ + kControl + bytes, std::byte{7}),
                  std::ptrdiff_t(bytes - head));
        EXPECT_EQ(word_[kControl + bytes], std::byte{0});
        const std::size_t parts = (bytes - head + kPartBytes - 1) / kPartBytes;
        EXPECT_EQ(air_.frames[1] - before, parts + (own && head <= kCompanyBytes ? 0 : 1)) << head << ", " << bytes;
      }
  }
  devices_[0]->disown(data.data());
}

// As the head of a letter whose rest goes past its cells.
TEST_F(Gathering, AShortPutInCompanyGoesInFrontOfAPart) {
  std::vector<std::byte> data(kPartBytes, std::byte{7}), front(kCompanyBytes, std::byte{9});
  devices_[0]->own(data.data(), data.size());
  Watch opened, head, rest;
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {0, 64, 1}, &opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  const std::size_t before = air_.frames[1];
  const Piece first{front.data(), kControl, front.size()}, second{data.data(), kControl + front.size(), data.size()};
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&first, 1}, region_, {4, 64, 1, false, true}, &head).ok());
  EXPECT_EQ(air_.frames[1], before);
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&second, 1}, region_, {8, 64, 1}, &rest).ok());
  for (int i = 0; i < 40; ++i) poll();
  EXPECT_TRUE(head.is_done() && rest.is_done());
  EXPECT_EQ(air_.frames[1], before + 1);
  EXPECT_EQ(word_[kControl], std::byte{9});
  EXPECT_EQ(word_[kControl + front.size()], std::byte{7});
  const auto* const flags = reinterpret_cast<const std::uint32_t*>(word_);
  EXPECT_TRUE(flags[1] == 1 && flags[2] == 1);
  devices_[0]->disown(data.data());
}

TEST_F(Gathering, WhatKeepsCompanyEndsWithIt) {
  std::vector<std::byte> data(2 * kPartBytes);
  devices_[0]->own(data.data(), data.size());
  Watch opened, flag, put;
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {0, 64, 1}, &opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {4, 64, 1, false, true}, &flag).ok());
  air_.cut = true;
  const Piece piece{data.data(), kControl, data.size()};
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {0, 64, 2}, &put).ok());
  for (int i = 0; i < 10; ++i) poll();
  for (const Watch* watch : {&flag, &put}) EXPECT_TRUE(watch->is_done() && !watch->status().ok());
  devices_[0]->disown(data.data());
}

// What it was sent ends at once, whether it has come or not, and nothing more is sent.
TEST_F(Gathering, APeerThatIsAbandonedIsLost) {
  std::vector<std::byte> data(4 * kPartBytes, std::byte{7});
  Watch opened, put;
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {0, 64, 1}, &opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  const Piece piece{data.data(), kControl, data.size()};
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {0, 64, 2}, &put).ok());
  devices_[0]->abandon(1);
  for (int i = 0; i < 10; ++i) devices_[0]->progress(mail_);
  EXPECT_TRUE(put.is_local() && put.is_done() && !put.status().ok());
  EXPECT_EQ(devices_[0]->put(1, region_, {&piece, 1}, &put).code(), Code::peer_failed);
}

// What cannot be put is not announced either.
TEST_F(Gathering, AFlagIsNotRaisedWhereItsDataWasRefused) {
  std::vector<std::byte> data(2 * kPackLimit);
  const Piece piece{data.data(), kControl + kMostData, data.size()};
  Watch watch;
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {0, 64, 1, false}, &watch).ok());
  for (int i = 0; i < 40 && !watch.is_done(); ++i) poll();
  EXPECT_EQ(watch.status().code(), Code::invalid_offset) << watch.status().to_string();
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(word_), 0u);
}

}  // namespace
}  // namespace polder::device::wire
