// What a link keeps count of: frames on their way out, the order of those that come in, and the numbers of its meetings.
#include "device/wire/link/link_session.hpp"
#include "device/wire/link/receive_order.hpp"
#include "device/wire/link/send_window.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace polder::device::wire {
namespace {

TEST(SendWindow, EndsOperationsWithTheirFrameAndNotBefore) {
  std::array<WireOperation, 3> operations;
  operations[0].next = &operations[1];  // both end with frame 2
  SendWindow window;
  window.push({100, 10, nullptr});
  window.push({100, 20, &operations[0]});
  window.push({100, 30, &operations[2]});
  std::vector<WireOperation*> ended;
  const auto end = [&](WireOperation& operation) {
    operation.next = nullptr;  // as those do who put it into another list
    ended.push_back(&operation);
  };
  EXPECT_TRUE(window.acknowledge(1, end));
  EXPECT_TRUE(ended.empty());
  EXPECT_EQ(window.oldest_ns(), 20);
  EXPECT_FALSE(window.acknowledge(1, end));  // once more: nothing new
  EXPECT_TRUE(window.acknowledge(3, end));
  EXPECT_EQ(ended, (std::vector<WireOperation*>{&operations[0], &operations[1], &operations[2]}));
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window.last(), 3u);
}

TEST(SendWindow, ClosesByFramesAndByBytes) {
  SendWindow frames, bytes;
  for (std::uint32_t i = 0; i < SendWindow::kMostFrames; ++i) {
    EXPECT_TRUE(frames.open());
    EXPECT_EQ(frames.crowded(std::memory_order_relaxed), i >= SendWindow::kAtOnce);
    frames.push({1, 0, nullptr});
  }
  EXPECT_FALSE(frames.open());
  frames.acknowledge(1, [](WireOperation&) {});
  EXPECT_TRUE(frames.open());
  bytes.push({SendWindow::kMostBytes, 0, nullptr});
  EXPECT_FALSE(bytes.open());
  bytes.acknowledge(1, [](WireOperation&) {});
  EXPECT_TRUE(bytes.open());
}

TEST(SendWindow, FindsWhatIsNotAcknowledged) {
  SendWindow window;
  for (std::uint32_t i = 1; i <= 20; ++i) window.push({i, std::int64_t{i}, nullptr});
  window.acknowledge(5, [](WireOperation&) {});
  EXPECT_EQ(window.find(5), nullptr);
  for (std::uint32_t i = 6; i <= 20; ++i) {
    ASSERT_NE(window.find(i), nullptr);
    EXPECT_EQ(window.find(i)->bytes, i);
  }
  window.clear();
  EXPECT_TRUE(window.empty() && window.open() && window.next() == 1);
  EXPECT_FALSE(window.crowded(std::memory_order_relaxed));
}

TEST(ReceiveOrder, GivesWhatCameEarlyInItsTurn) {
  ReceiveOrder order;
  EXPECT_FALSE(order.any());
  EXPECT_FALSE(order.may_keep(1, 8));  // it is its turn
  for (const std::uint32_t number : {4, 2, 3}) {
    ASSERT_TRUE(order.may_keep(number, 3));
    order.keep(number).assign(1, std::byte(number));
  }
  EXPECT_FALSE(order.may_keep(5, 3));  // too many
  EXPECT_FALSE(order.take_kept());
  order.carried_out(1);
  for (std::uint32_t number = 2; number <= 4; ++number) {
    const auto kept = order.take_kept();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->front(), std::byte(number));
    order.carried_out(number);
  }
  EXPECT_FALSE(order.take_kept());
  EXPECT_FALSE(order.may_keep(3, 8));  // it has been carried out
}

TEST(ReceiveOrder, GivesWhatCameEarlyAcrossTheWrapOfItsNumbers) {
  ReceiveOrder order(0xfffffffd);
  for (const std::uint32_t number : {1u, 0u, 0xffffffffu}) {
    ASSERT_TRUE(order.may_keep(number, 3));
    order.keep(number).assign(1, std::byte(number));
  }
  EXPECT_FALSE(order.take_kept());
  order.carried_out(0xfffffffe);
  for (const std::uint32_t number : {0xffffffffu, 0u, 1u}) {
    const auto kept = order.take_kept();
    ASSERT_TRUE(kept) << number;
    EXPECT_EQ(kept->front(), std::byte(number));
    order.carried_out(number);
  }
}

TEST(ReceiveOrder, AcknowledgesNothingPastARefusalThatHasNotBeenTold) {
  ReceiveOrder order;
  order.carried_out(1);
  order.withhold();  // in frame 2
  order.carried_out(2);
  order.withhold();  // and in 3
  order.carried_out(3);
  EXPECT_EQ(order.debt(), 1u);
  EXPECT_EQ(order.acknowledge(), 1u);
  EXPECT_EQ(order.debt(), 0u);
  order.release();
  EXPECT_EQ(order.debt(), 2u);
  EXPECT_EQ(order.acknowledge(), 3u);
}

TEST(LinkSession, AcceptsOnlyItsOwnAndKnowsThePast) {
  std::set<std::uint64_t> drawn;
  LinkSession session;
  EXPECT_FALSE(session.accepts(0));
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t number = LinkSession::draw();
    drawn.insert(number);
    session.begin(number);
    EXPECT_EQ(session.peer(), 0u);
    EXPECT_TRUE(session.accepts(number));
    session.end();
    EXPECT_FALSE(session.accepts(number));
  }
  EXPECT_EQ(drawn.size(), 8u);
  for (const std::uint64_t number : drawn) EXPECT_TRUE(session.was(number));
  EXPECT_FALSE(session.was(0));
}

}  // namespace
}  // namespace polder::device::wire
