// What a peer cannot carry out: over a transport of the test's own.
#include "air_ranks.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace polder::device::wire {
namespace {

constexpr int kPolls = 2000;
constexpr int kUses = 4096;  // of its place in the table, after which the number of an operation comes again
constexpr std::size_t kLarge = 2 * std::size_t{SendWindow::kMostBytes};

class Refusing : public AirRanks {
 protected:
  using Post = std::function<Status(Watch&)>;

  // Posts it, and waits for its end.
  Status end_of(const Post& post) {
    Watch watch;
    if (Status status = post(watch); !status.ok()) return status;
    for (int i = 0; i < kPolls && !watch.is_done(); ++i) poll();
    EXPECT_TRUE(watch.is_done());
    return watch.status();
  }
  void expect_flags_after(const Post& refused) {
    ASSERT_EQ(end_of(refused).code(), Code::invalid_offset);
    const auto* const flag = reinterpret_cast<const std::uint32_t*>(word_);
    for (std::uint32_t value = 1; value <= 2 * kUses; ++value) {
      const auto notify = [&](Watch& watch) {
        return devices_[0]->put_notify(1, region_, {}, region_, {0, 64, value}, &watch);
      };
      ASSERT_TRUE(end_of(notify).ok());
      ASSERT_EQ(*flag, value) << "acknowledged, and not raised";
    }
  }

  std::uint64_t value_ = 0;
  const Piece beyond_{reinterpret_cast<std::byte*>(&value_), kAirBytes, sizeof value_};
};

TEST_F(Refusing, NoFlagIsLostLongAfterAPut) {
  expect_flags_after([&](Watch& watch) { return devices_[0]->put(1, region_, {&beyond_, 1}, &watch); });
}

TEST_F(Refusing, NoFlagIsLostLongAfterAGet) {
  expect_flags_after([&](Watch& watch) { return devices_[0]->get(1, region_, {&beyond_, 1}, &watch); });
}

TEST_F(Refusing, NoFlagIsLostLongAfterAnAtomic) {
  expect_flags_after([&](Watch& watch) {
    return devices_[0]->atomic(1, region_, {.offset = kAirBytes, .operand = 1, .old = &value_}, &watch);
  });
}

// The word of a refusal does not queue up behind answers that need its acknowledgement to leave.
TEST_F(Refusing, TwoThatRefuseAmidLargeAnswersDoNotWaitForEachOther) {
  std::array<Region, kAirRanks> regions;
  std::array<std::vector<std::byte>, kAirRanks> into;
  std::array<Watch, kAirRanks> gets, puts;
  for (Rank rank = 0; rank < kAirRanks; ++rank) {
    const auto exposure = devices_[rank]->expose(nullptr, kLarge);
    ASSERT_TRUE(exposure.ok());
    std::fill_n(exposure->data, kLarge, std::byte(rank + 1));
    regions[rank] = devices_[1 - rank]->import(rank, exposure->key, nullptr).value_or({});
    into[rank].resize(kLarge);
  }
  for (int i = 0; i < 10; ++i) poll();
  for (Rank rank = 0; rank < kAirRanks; ++rank) {
    const Rank peer = 1 - rank;
    const Piece all{into[rank].data(), 0, kLarge}, beyond{beyond_.local, kLarge, beyond_.bytes};
    ASSERT_TRUE(devices_[rank]->get(peer, regions[peer], {&all, 1}, &gets[rank]).ok());
    ASSERT_TRUE(devices_[rank]->put(peer, regions[peer], {&beyond, 1}, &puts[rank]).ok());
  }
  const auto is_over = [&] { return gets[0].is_done() && gets[1].is_done() && puts[0].is_done() && puts[1].is_done(); };
  for (int i = 0; i < kPolls && !is_over(); ++i) poll();
  EXPECT_TRUE(is_over());
  air_.cut = true;
  for (auto& device : devices_) device.reset();  // and with it what may still be under way to memory of this test
  for (Rank rank = 0; rank < kAirRanks; ++rank) {
    EXPECT_TRUE(gets[rank].status().ok()) << gets[rank].status().to_string();
    EXPECT_EQ(into[rank], std::vector<std::byte>(kLarge, std::byte(2 - rank)));
    EXPECT_EQ(puts[rank].status().code(), Code::invalid_offset) << puts[rank].status().to_string();
  }
}

}  // namespace
}  // namespace polder::device::wire
