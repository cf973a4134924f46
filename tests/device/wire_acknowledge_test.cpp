// When a sender is told that its frames were carried out: over a transport of the tests' own, which counts what is sent.
#include "air_ranks.hpp"

#include <array>
#include <deque>
#include <vector>

namespace polder::device::wire {
namespace {

class Acknowledging : public AirRanks {};

class LargeParts : public AirRanks {
 protected:
  LargeParts() : AirRanks({.part_bytes = kMostPartBytes}) {}
};

// How soon parts are acknowledged goes by their bytes, and not by what a part may have.
TEST_F(LargeParts, ThatAreShortAreNotAcknowledgedOneByOne) {
  std::vector<std::byte> data(kPartBytes);
  const Piece piece{data.data(), kControl, data.size()};
  const auto post = [&](Watch& watch, bool unawaited) {
    return devices_[0]->put_notify(1, region_, {&piece, 1}, region_, {0, 64, 1, false, false, false, unawaited},
                                   &watch);
  };
  Watch opened;
  ASSERT_TRUE(post(opened, false).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  const std::size_t before = air_.frames[0];
  std::deque<Watch> watches;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(post(watches.emplace_back(), true).ok());
    devices_[1]->progress(mail_);
  }
  EXPECT_EQ(air_.frames[0], before);
  for (int i = 0; i < 1000; ++i) poll();
  for (const Watch& watch : watches) EXPECT_TRUE(watch.is_done());
}

// As letters of collectives go: the acknowledgement of each travels in the next one back, or in one of many.
TEST_F(Acknowledging, NobodyIsToldAtOnceWhatNobodyAwaits) {
  constexpr std::size_t kLetters = 200, kMostAlone = kLetters / 4;
  auto back = devices_[0]->expose(nullptr, kControl + kMostData);
  ASSERT_TRUE(back.ok());
  const std::array<Region, kAirRanks> at{devices_[1]->import(0, back->key, nullptr).value_or({}), region_};
  std::vector<std::byte> data(2 * kPackLimit);
  for (const bool both_ways : {false, true}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, data.size()}) {
      const Piece piece{data.data(), kControl, bytes};
      const std::array<std::size_t, kAirRanks> before{air_.frames[0], air_.frames[1]};
      std::vector<Watch> watches(2 * kLetters);
      for (std::size_t i = 0; i < kLetters; ++i) {
        for (const Rank from : {Rank{0}, Rank{1}}) {
          if (from == 1 && !both_ways) continue;
          const Flag flag{.offset = 0, .bell_offset = 64, .value = 1, .unawaited = true};
          ASSERT_TRUE(devices_[from]
                          ->put_notify(1 - from, at[1 - from], {&piece, 1}, at[1 - from], flag, &watches[2 * i + from])
                          .ok());
          poll();
        }
      }
      const std::size_t expected = both_ways ? kLetters : 0;
      EXPECT_LT(air_.frames[0] - before[0], expected + kMostAlone) << bytes << " bytes";
      EXPECT_LT(air_.frames[1] - before[1], kLetters + kMostAlone) << bytes << " bytes";
      // Then nothing comes any more.
      for (int i = 0; i < 200; ++i) poll();
      for (std::size_t i = 0; i < watches.size(); i += both_ways ? 1 : 2) {
        ASSERT_TRUE(watches[i].is_done() && watches[i].status().ok()) << i;
      }
    }
  }
}

// However much of the time between them the receiver polls in vain.
TEST_F(Acknowledging, LettersThatComeNowAndThenAreAcknowledgedSeveralAtATime) {
  constexpr std::size_t kLetters = 200, kMostAlone = kLetters / 4;
  const Flag flag{.offset = 0, .bell_offset = 64, .value = 1, .unawaited = true};
  const std::size_t before = air_.frames[0];
  std::vector<Watch> watches(kLetters);
  for (Watch& watch : watches) {
    ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, flag, &watch).ok());
    for (int i = 0; i < 30; ++i) poll();
  }
  EXPECT_LT(air_.frames[0] - before, kMostAlone);
  for (int i = 0; i < 200; ++i) poll();  // the last ones are acknowledged when nothing comes for a while
  for (const Watch& watch : watches) EXPECT_TRUE(watch.is_done());
}

// So many are never under way that the sender keeps one back for company.
TEST_F(Acknowledging, LettersLeaveAtOnceWhereTheReceiverPolls) {
  const Flag flag{.offset = 0, .bell_offset = 64, .value = 1, .unawaited = true};
  Watch opened;
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {4, 64, 1}, &opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  ASSERT_TRUE(opened.is_done()) << "the way is open";
  std::vector<Watch> watches(100);
  for (Watch& watch : watches) {
    const std::size_t before = air_.frames[1];
    ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, flag, &watch).ok());
    ASSERT_EQ(air_.frames[1], before + 1);
    for (int i = 0; i < 2; ++i) poll();
  }
  for (int i = 0; i < 200; ++i) poll();
  for (const Watch& watch : watches) EXPECT_TRUE(watch.is_done());
}

TEST_F(Acknowledging, WhatIsAwaitedIsAnsweredAtOnceAlsoBesideWhatIsNot) {
  Watch unawaited, awaited;
  const Flag patient{.offset = 0, .bell_offset = 64, .value = 1, .unawaited = true};
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, patient, &unawaited).ok());
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {4, 64, 1}, &awaited).ok());
  for (int i = 0; i < 4; ++i) poll();
  EXPECT_TRUE(unawaited.is_done() && awaited.is_done());
}

TEST_F(Acknowledging, WhoGoesToSleepAnswersBefore) {
  Watch opened, watch;
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, {4, 64, 1}, &opened).ok());
  for (int i = 0; i < 10; ++i) poll();
  const Flag flag{.offset = 0, .bell_offset = 64, .value = 1, .unawaited = true};
  ASSERT_TRUE(devices_[0]->put_notify(1, region_, {}, region_, flag, &watch).ok());
  devices_[1]->progress(mail_);
  devices_[1]->wait(1'000'000);
  devices_[0]->progress(mail_);
  EXPECT_TRUE(watch.is_done());
}

}  // namespace
}  // namespace polder::device::wire
