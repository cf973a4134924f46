// send, and what becomes of messages.
#include "contract_fixture.hpp"

#include <algorithm>
#include <cstring>

namespace polder::device::contract {
namespace {

std::string text_of(std::size_t size, unsigned seed) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = char(pattern(i, seed));
  return text;
}

class ContractMessage : public OverDevices {
 protected:
  // Collects the messages for `rank` until there are `count`.
  bool collect(Rank rank, Mailbox& box, std::size_t count) {
    return eventually([&] {
      device(rank).progress(box);
      help_others(rank);
      return box.mail.size() >= count;
    });
  }
  // Where progress is needed, what waits at its sender leaves with it.
  void help_others(Rank rank) {
    for (Rank other = 0; other < kRanks; ++other)
      if (other != rank && device(other).capabilities().needs_progress) device(other).progress(elsewhere_);
  }
  Mailbox elsewhere_;
  // Fills the way from `source` to `target` with numbered messages of `size` bytes. Returns how many were accepted.
  std::uint32_t stuff(Rank source, Rank target, std::size_t size) {
    constexpr std::uint32_t kPlenty = 1'000'000;
    std::vector<std::byte> body(size);
    for (std::uint32_t number = 0; number < kPlenty; ++number) {
      const Status status = device(source).send(target, 1, std::as_bytes(std::span(&number, 1)), body);
      if (status.ok()) continue;
      EXPECT_EQ(status.code(), Code::queue_full) << status.to_string();
      return number;
    }
    return kPlenty;
  }
};

std::uint32_t number_of(const Mailbox::Mail& mail) {
  std::uint32_t number = ~0u;
  EXPECT_GE(mail.text.size(), sizeof number);
  std::memcpy(&number, mail.text.data(), std::min(sizeof number, mail.text.size()));
  return number;
}

INSTANTIATE_TEST_SUITE_P(Devices, ContractMessage, testing::ValuesIn(all_devices()),
                         device_name<testing::TestParamInfo<DeviceKind>>);

TEST_P(ContractMessage, HeadAndBodyArriveAsOne) {
  ASSERT_TRUE(device(2).send(1, 77, bytes_of("head,"), bytes_of("body")).ok());
  ASSERT_TRUE(device(2).send(1, 0, {}, bytes_of("body alone")).ok());
  ASSERT_TRUE(device(2).send(1, 65535, {}, {}).ok());
  Mailbox box;
  ASSERT_TRUE(collect(1, box, 3));
  ASSERT_EQ(box.mail.size(), 3u);
  EXPECT_EQ(box.mail[0].source, 2u);
  EXPECT_EQ(box.mail[0].handler, 77);
  EXPECT_EQ(box.mail[0].text, "head,body");
  EXPECT_EQ(box.mail[1].handler, 0);
  EXPECT_EQ(box.mail[1].text, "body alone");
  EXPECT_EQ(box.mail[2].handler, 65535);
  EXPECT_EQ(box.mail[2].text, "");
  Mailbox others;
  EXPECT_EQ(device(0).progress(others) + device(2).progress(others), 0) << "nobody else gets them";
}

TEST_P(ContractMessage, EverySizeUpToTheLargest) {
  const std::size_t largest = device(0).capabilities().max_message;
  const std::size_t sizes[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 1024, largest - 1, largest};
  unsigned seed = 0;
  for (const std::size_t size : sizes) {
    const std::string text = text_of(size, ++seed), head = text.substr(0, size / 3), body = text.substr(size / 3);
    ASSERT_TRUE(device(0).send(1, 5, bytes_of(head), bytes_of(body)).ok()) << size;
    Mailbox box;
    ASSERT_TRUE(collect(1, box, 1)) << size;
    EXPECT_TRUE(box.mail[0].text == text) << "of " << size << " bytes";
  }
}

TEST_P(ContractMessage, TooLargeIsRefusedAndNothingArrives) {
  const std::string text = text_of(device(0).capabilities().max_message, 1);
  EXPECT_EQ(device(0).send(1, 1, bytes_of("x"), bytes_of(text)).code(), Code::invalid_size);
  EXPECT_EQ(device(0).send(1, 1, bytes_of(text + "x"), {}).code(), Code::invalid_size);
  ASSERT_TRUE(device(0).send(1, 2, {}, {}).ok());
  Mailbox box;
  ASSERT_TRUE(collect(1, box, 1));
  EXPECT_EQ(box.mail[0].handler, 2);
  EXPECT_EQ(box.mail.size(), 1u);
}

TEST_P(ContractMessage, IsCopiedBeforeTheCallReturns) {
  std::string head = "before", body = "hand";
  ASSERT_TRUE(device(0).send(1, 1, bytes_of(head), bytes_of(body)).ok());
  head.assign(6, '#');
  body.assign(4, '#');
  Mailbox box;
  ASSERT_TRUE(collect(1, box, 1));
  EXPECT_EQ(box.mail[0].text, "beforehand");
}

TEST_P(ContractMessage, RanksReachThemselves) {
  ASSERT_TRUE(device(1).send(1, 3, bytes_of("note"), bytes_of(" to self")).ok());
  Mailbox box;
  ASSERT_TRUE(collect(1, box, 1));
  EXPECT_EQ(box.mail[0].source, 1u);
  EXPECT_EQ(box.mail[0].text, "note to self");
}

TEST_P(ContractMessage, WaitsForNobodyWhereTheWayIsFull) {
  const std::uint32_t accepted = stuff(0, 1, 500);
  ASSERT_GT(accepted, 0u);
  ASSERT_LT(accepted, 1'000'000u) << "there is no end to the room";
  EXPECT_TRUE(device(0).send(2, 1, {}, {}).ok()) << "the way to another rank is free";
  EXPECT_TRUE(device(2).send(1, 1, {}, {}).ok()) << "and so is that from another rank";
  Mailbox box;
  ASSERT_TRUE(collect(1, box, accepted + 1));
  std::erase_if(box.mail, [](const auto& mail) { return mail.source == 2; });
  ASSERT_EQ(box.mail.size(), accepted);
  for (std::uint32_t i = 0; i < accepted; ++i) ASSERT_EQ(number_of(box.mail[i]), i);
  EXPECT_TRUE(device(0).send(1, 9, {}, {}).ok()) << "there is room again";
  Mailbox after;
  ASSERT_TRUE(collect(1, after, 1));
  EXPECT_EQ(after.mail[0].handler, 9);
  EXPECT_EQ(after.mail.size(), 1u) << "what was refused does not arrive";
}

TEST_P(ContractMessage, OfEachThreadArriveInOrderAndOnce) {
  constexpr std::uint32_t kThreads = 3, kMessages = 2000;
  std::vector<std::thread> senders;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    senders.emplace_back([&, thread] {
      const Rank source = thread == 0 ? 0 : 2;  // one thread of rank 0, two of rank 2
      for (std::uint32_t i = 0; i < kMessages; ++i) {
        const std::vector<std::byte> body((i * 7) % 300, std::byte(i));
        ASSERT_TRUE(eventually(
            [&] { return device(source).send(1, HandlerId(thread), std::as_bytes(std::span(&i, 1)), body).ok(); }));
      }
    });
  Mailbox box;
  EXPECT_TRUE(collect(1, box, std::size_t{kThreads} * kMessages));
  for (std::thread& sender : senders) sender.join();
  std::uint32_t next[kThreads] = {};
  for (const auto& mail : box.mail) {
    ASSERT_LT(mail.handler, kThreads);
    const std::uint32_t number = next[mail.handler]++;
    ASSERT_EQ(mail.source, mail.handler == 0 ? 0u : 2u);
    ASSERT_EQ(number_of(mail), number) << "of thread " << mail.handler;
    ASSERT_EQ(mail.text.size(), 4 + (number * 7) % 300);
    ASSERT_TRUE(std::all_of(mail.text.begin() + 4, mail.text.end(), [&](char c) { return c == char(number); }));
  }
  for (const std::uint32_t count : next) EXPECT_EQ(count, kMessages);
  EXPECT_EQ(device(1).progress(box), 0);
}

TEST_P(ContractMessage, HandlersMaySend) {
  struct Echo final : MessageSink {
    explicit Echo(Device& d) : device(d) {}
    void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override {
      EXPECT_TRUE(device.send(source, HandlerId(handler + 1), message, {}).ok());
    }
    Device& device;
  } echo(device(1));
  ASSERT_TRUE(device(0).send(1, 10, bytes_of("ping"), {}).ok());
  ASSERT_TRUE(eventually([&] { return device(1).progress(echo) == 1; }));
  Mailbox box;
  ASSERT_TRUE(collect(0, box, 1));
  EXPECT_EQ(box.mail[0].handler, 11);
  EXPECT_EQ(box.mail[0].text, "ping");
}

}  // namespace
}  // namespace polder::device::contract
