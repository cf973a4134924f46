#include "sim_fixture.hpp"

namespace polder::device::sim {
namespace {

TEST(SimMessage, HeadAndBodyArriveAsOne) {
  Network network({.ranks = 3});
  ASSERT_TRUE(network.device(2).send(1, 77, bytes_of("head,"), bytes_of("body")).ok());
  ASSERT_TRUE(network.device(0).send(1, 78, {}, {}).ok());
  Mailbox box;
  while (network.device(1).progress(box) > 0) {
  }
  ASSERT_EQ(box.mail.size(), 2u);
  EXPECT_EQ(box.mail[0].source, 2u);
  EXPECT_EQ(box.mail[0].handler, 77);
  EXPECT_EQ(box.mail[0].text, "head,body");
  EXPECT_EQ(box.mail[1].source, 0u);
  EXPECT_EQ(box.mail[1].text, "");
}

TEST(SimMessage, SizeIsLimited) {
  Network network({.ranks = 2, .max_message = 2048});
  EXPECT_EQ(network.device(0).capabilities().max_message, 2048u);
  const std::string half(1024, 'x');
  EXPECT_TRUE(network.device(0).send(1, 0, bytes_of(half), bytes_of(half)).ok());
  EXPECT_EQ(network.device(0).send(1, 0, bytes_of(half), bytes_of(half + "y")).code(), Code::invalid_size);
  EXPECT_EQ(network.device(0).send(5, 0, {}, {}).code(), Code::invalid_rank);
}

TEST(SimMessage, UnreadMessagesPushBack) {
  Network network({.ranks = 3, .queue_depth = 4});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(network.device(0).send(1, 0, {}, {}).ok());
  EXPECT_EQ(network.device(0).send(1, 0, {}, {}).code(), Code::queue_full);
  EXPECT_TRUE(network.device(0).send(2, 0, {}, {}).ok()) << "the way to another rank is free";
  EXPECT_TRUE(network.device(2).send(1, 0, {}, {}).ok()) << "and so is that from another rank";
  Mailbox box;
  EXPECT_EQ(network.device(1).progress(box), 5);
  EXPECT_TRUE(network.device(0).send(1, 0, {}, {}).ok());
}

TEST(SimMessage, OperationsUnderWayPushBack) {
  Network network({.ranks = 2, .min_delay_ns = 20'000'000, .max_delay_ns = 20'000'000, .queue_depth = 2});
  std::uint64_t value = 1;
  Watch watches[3];
  ASSERT_TRUE(network.put(0, 1, &value, 0, &watches[0]).ok());
  ASSERT_TRUE(network.put(0, 1, &value, 1, &watches[1]).ok());
  EXPECT_EQ(network.put(0, 1, &value, 2, &watches[2]).code(), Code::queue_full);
  EXPECT_TRUE(watches[0].wait().ok());
  EXPECT_TRUE(watches[1].wait().ok());
  EXPECT_TRUE(network.put(0, 1, &value, 2, &watches[2]).ok());
  EXPECT_TRUE(watches[2].wait().ok());
}

TEST(SimMessage, WaitEndsWithAMessageAWakeOrTheTime) {
  Network network({.ranks = 2});
  Device& device = network.device(1);
  std::int64_t before = util::now_ns();
  device.wait(5'000'000);
  EXPECT_GE(util::now_ns() - before, 4'000'000) << "nothing came";

  before = util::now_ns();
  device.wake();
  device.wait(10'000'000'000);  // a wake that comes first is not lost
  std::thread waker([&] {
    std::this_thread::sleep_for(5ms);
    device.wake();
  });
  device.wait(10'000'000'000);
  waker.join();
  std::thread sender([&] {
    std::this_thread::sleep_for(5ms);
    ASSERT_TRUE(network.device(0).send(1, 0, {}, {}).ok());
  });
  device.wait(10'000'000'000);
  sender.join();
  device.wait(10'000'000'000);  // it is still unread
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
}

TEST(SimMessage, ProgressIsForOneThreadAtATime) {
  Network network({.ranks = 2});
  ASSERT_TRUE(network.device(0).send(1, 1, {}, {}).ok());
  ASSERT_TRUE(network.device(0).send(1, 2, {}, {}).ok());
  struct Nested final : MessageSink {
    explicit Nested(Device& d) : device(d) {}
    void deliver(Rank, HandlerId, std::span<const std::byte>) override {
      EXPECT_EQ(device.progress(*this), 0) << "another one is inside";
      ++delivered;
    }
    Device& device;
    int delivered = 0;
  } sink(network.device(1));
  EXPECT_EQ(network.device(1).progress(sink), 2);
  EXPECT_EQ(sink.delivered, 2);
}

TEST(SimMessage, HandlerMaySend) {
  Network network({.ranks = 2});
  struct Echo final : MessageSink {
    explicit Echo(Device& d) : device(d) {}
    void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override {
      EXPECT_TRUE(device.send(source, HandlerId(handler + 1), message, {}).ok());
    }
    Device& device;
  } echo(network.device(1));
  ASSERT_TRUE(network.device(0).send(1, 10, bytes_of("ping"), {}).ok());
  EXPECT_EQ(network.device(1).progress(echo), 1);
  Mailbox box;
  EXPECT_EQ(network.device(0).progress(box), 1);
  ASSERT_EQ(box.mail.size(), 1u);
  EXPECT_EQ(box.mail[0].handler, 11);
  EXPECT_EQ(box.mail[0].text, "ping");
}

}  // namespace
}  // namespace polder::device::sim
