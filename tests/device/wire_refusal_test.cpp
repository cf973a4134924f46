// What a peer cannot carry out: over a transport of the test's own.
#include "air_ranks.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace polder::device::wire {
namespace {

constexpr int kPolls = 2000;
constexpr int kUses = 4096;  // of its place in the table, after which the number of an operation comes again

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

}  // namespace
}  // namespace polder::device::wire
