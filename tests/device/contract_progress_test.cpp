// progress, wait and wake.
#include "contract_fixture.hpp"

#include <array>
#include <cstring>
#include <string>

namespace polder::device::contract {
namespace {

class ContractProgress : public OverDevices {};

INSTANTIATE_TEST_SUITE_P(Devices, ContractProgress, testing::ValuesIn(all_devices()),
                         device_name<testing::TestParamInfo<DeviceKind>>);

TEST_P(ContractProgress, FindsNothingWhereNothingIs) {
  NoMail none;
  for (Rank rank = 0; rank < kRanks; ++rank) EXPECT_EQ(device(rank).progress(none), 0);
}

TEST_P(ContractProgress, CountsWhatItDelivers) {
  constexpr int kMessages = 50;
  for (int i = 0; i < kMessages; ++i) ASSERT_TRUE(device(0).send(1, 0, {}, {}).ok());
  Mailbox box;
  int events = 0;
  ASSERT_TRUE(eventually([&] { return (events += device(1).progress(box)) >= kMessages; }));
  EXPECT_EQ(events, kMessages);
  EXPECT_EQ(box.mail.size(), std::size_t{kMessages});
}

TEST_P(ContractProgress, ReturnsAtOnceWhereAnotherIsInside) {
  struct Nested final : MessageSink {
    explicit Nested(Device& d) : device(d) {}
    void deliver(Rank, HandlerId, std::span<const std::byte>) override {
      EXPECT_EQ(device.progress(*this), 0);
      ++delivered;
    }
    Device& device;
    int delivered = 0;
  } sink(device(1));
  ASSERT_TRUE(device(0).send(1, 1, {}, {}).ok());
  ASSERT_TRUE(device(2).send(1, 2, {}, {}).ok());
  ASSERT_TRUE(device(0).send(1, 3, {}, {}).ok());
  EXPECT_TRUE(eventually([&] { return device(1).progress(sink), sink.delivered == 3; }));
}

// A handler takes what time it likes, and the helper sleeps meanwhile.
TEST_P(ContractProgress, WaitEndsWhileAHandlerRuns) {
  struct Waiting final : MessageSink {
    explicit Waiting(Device& d) : device(d) {}
    void deliver(Rank, HandlerId, std::span<const std::byte>) override {
      std::thread([this] { device.wait(1'000'000); }).join();
      device.wait(1'000'000);
      ++delivered;
    }
    Device& device;
    int delivered = 0;
  } sink(device(1));
  ASSERT_TRUE(device(0).send(1, 1, {}, {}).ok());
  EXPECT_TRUE(eventually([&] { return device(1).progress(sink), sink.delivered == 1; }));
}

// Notes that no two messages of a source are delivered at a time, and that they come in order.
class Strict final : public MessageSink {
 public:
  void deliver(Rank source, HandlerId, std::span<const std::byte> message) override {
    ASSERT_LT(source, kRanks);
    EXPECT_FALSE(inside_[source].exchange(true)) << "two at a time of rank " << source;
    std::uint32_t number = 0;
    ASSERT_EQ(message.size(), sizeof number);
    std::memcpy(&number, message.data(), sizeof number);
    EXPECT_EQ(number, next_[source].load()) << "of rank " << source;
    next_[source] = number + 1;
    inside_[source] = false;
    ++delivered_;
  }
  std::uint32_t delivered() const { return delivered_; }

 private:
  std::array<std::atomic<bool>, kRanks> inside_{};
  std::array<std::atomic<std::uint32_t>, kRanks> next_{};
  std::atomic<std::uint32_t> delivered_{0};
};

TEST_P(ContractProgress, MayBeCalledFromManyThreads) {
  constexpr std::uint32_t kMessages = 2000;
  Strict sink;
  start_helpers(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      EXPECT_TRUE(eventually([&] {
        while (device(1).progress(sink) > 0) {
        }
        return sink.delivered() == kRanks * kMessages;
      }));
    });
  for (Rank source = 0; source < kRanks; ++source)
    threads.emplace_back([&, source] {
      for (std::uint32_t i = 0; i < kMessages; ++i)
        ASSERT_TRUE(eventually([&] { return device(source).send(1, 0, std::as_bytes(std::span(&i, 1)), {}).ok(); }));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sink.delivered(), kRanks * kMessages);
}

TEST_P(ContractProgress, WaitEndsWhenTheTimeIsOver) {
  const std::int64_t before = util::now_ns();
  device(1).wait(5'000'000);
  EXPECT_GE(util::now_ns() - before, 4'000'000);
}

TEST_P(ContractProgress, WaitDoesNotBeginWhereAMessageIsUnread) {
  ASSERT_TRUE(device(0).send(1, 0, {}, {}).ok());
  const std::int64_t before = util::now_ns();
  device(1).wait(10'000'000'000);
  device(1).wait(10'000'000'000);
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
  Mailbox box;
  EXPECT_EQ(device(1).progress(box), 1);
}

TEST_P(ContractProgress, WaitEndsWithAMessage) {
  std::thread sender([&] {
    std::this_thread::sleep_for(3ms);
    EXPECT_TRUE(device(0).send(1, 0, {}, {}).ok());
  });
  const std::int64_t before = util::now_ns();
  device(1).wait(10'000'000'000);
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
  sender.join();
  Mailbox box;
  EXPECT_TRUE(eventually([&] { return device(1).progress(box) == 1; }));
}

// A device whose threads cannot sleep so says that one is not alone, as a plug-in may; those of ours over a network can.
TEST_P(ContractProgress, ASleepInAWaitEndsWithAMessage) {
  std::thread sender([&] {
    std::this_thread::sleep_for(3ms);
    EXPECT_TRUE(device(0).send(1, 0, {}, {}).ok());
  });
  const std::int64_t before = util::now_ns();
  const std::string name = GetParam().name;
  const bool network_of_ours = name != "plugin" && name != "shm" && !name.starts_with("sim");
  Mailbox box;
  device(1).poll_in_wait(true);
  EXPECT_TRUE(eventually([&] {
    if (device(1).progress(box) != 0 && !box.mail.empty()) return true;
    const SleptInWait slept = device(1).sleep_in_wait(10'000'000'000);
    EXPECT_EQ(slept, slept == SleptInWait::not_alone && !network_of_ours ? SleptInWait::not_alone : SleptInWait::woken);
    return false;
  }));
  device(1).poll_in_wait(false);
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
  sender.join();
}

TEST_P(ContractProgress, WakeEndsAWait) {
  std::thread waker([&] {
    std::this_thread::sleep_for(3ms);
    device(1).wake();
  });
  const std::int64_t before = util::now_ns();
  device(1).wait(10'000'000'000);
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
  waker.join();
}

// Who is about to wait has seen what there was before the wake: it must not sleep over it.
TEST_P(ContractProgress, WakeThatComesFirstIsNotLost) {
  const std::int64_t before = util::now_ns();
  for (int i = 0; i < 3; ++i) {
    device(1).wake();
    device(1).wait(10'000'000'000);
  }
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
}

TEST_P(ContractProgress, WakeIsOfOneRank) {
  device(0).wake();
  const std::int64_t before = util::now_ns();
  device(1).wait(5'000'000);
  EXPECT_GE(util::now_ns() - before, 4'000'000);
}

}  // namespace
}  // namespace polder::device::contract
