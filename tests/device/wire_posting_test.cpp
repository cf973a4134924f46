// What waits for a link, and the notes that a link keeps of its peer: credit for messages, signs of life, refusals, and the
// list of links with something to send.
#include "device/wire/link/message_credit.hpp"
#include "device/wire/link/peer_signs.hpp"
#include "device/wire/link/posting_queues.hpp"
#include "device/wire/link/refusals.hpp"
#include "device/wire/state/dirty_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <thread>
#include <vector>

namespace polder::device::wire {
namespace {

// Of a transport that nobody has: frames and links want to name it.
struct NoEvents final : TransportEvents {
  void on_greeting(std::span<const std::byte>, Addressee*) override {}
  void on_frame(std::span<const std::byte>, std::span<const std::byte>) override {}
  void on_sent(Addressee&) override {}
  void on_accessed(Addressee&, const char*) override {}
  void on_flushed(Addressee&, const char*) override {}
  void on_made(Addressee&, Endpoint&) override {}
  void on_broken(Addressee&, Endpoint&, const char*) override {}
};

constexpr bool kUrgentLine = true;

class PostingQueuesTest : public testing::Test {
 protected:
  Frame& packed(std::size_t payload) { return queues.frame_for(payload, pool, !kUrgentLine); }
  static Bulk put_of(std::uint64_t bytes) { return {.record = {.kind = RecordKind::put}, .bytes = bytes}; }

  NoEvents events;
  FramePool pool{events};
  PostingQueues queues;
};

TEST_F(PostingQueuesTest, SmallOnesShareAFrameAndABulkEndsIt) {
  Frame& first = packed(8);
  first.append({.kind = RecordKind::ping}, {});
  EXPECT_EQ(&packed(8), &first);
  EXPECT_FALSE(queues.must_send());  // company may come
  queues.wait_with(put_of(1 << 20), !kUrgentLine);
  EXPECT_TRUE(queues.must_send());
  EXPECT_NE(&packed(8), &first);  // behind the bulk, not in front of it
  ASSERT_EQ(queues.posted(), 3u);
  EXPECT_EQ(queues[0].frame, &first);
  EXPECT_EQ(queues[1].frame, nullptr);
}

TEST_F(PostingQueuesTest, AnswersHaveALineAndRoomOfTheirOwn) {
  for (std::size_t i = 0; i < PostingQueues::kLimit; ++i) {
    EXPECT_TRUE(queues.has_room(!kUrgentLine));
    queues.wait_with(put_of(100), !kUrgentLine);
  }
  EXPECT_FALSE(queues.has_room(!kUrgentLine));
  EXPECT_TRUE(queues.has_room(kUrgentLine));
  EXPECT_FALSE(queues.any_urgent());
  Frame& answer = queues.frame_for(8, pool, kUrgentLine);
  EXPECT_TRUE(queues.any_urgent());
  EXPECT_EQ(queues.first(kUrgentLine).frame, &answer);
  queues.pop(kUrgentLine);
  EXPECT_FALSE(queues.any_urgent());
  EXPECT_EQ(queues.posted(), PostingQueues::kLimit);
}

TEST_F(PostingQueuesTest, AParcelJoinsTheLastFrameAndGivesUpTheRest) {
  Frame& waits = packed(8);
  Parcel small(pool);
  small.frame_for(8).append({.kind = RecordKind::ping, .operation = 7}, {});
  const std::size_t before = waits.used;
  queues.take(small, !kUrgentLine);
  EXPECT_EQ(queues.posted(), 1u);  // the record went into the frame that waited
  EXPECT_EQ(waits.used, before + sizeof(Record));
  Parcel large(pool);
  large.add({.bulk = put_of(1 << 20)});
  Frame& behind = large.frame_for(8);
  queues.take(large, !kUrgentLine);
  ASSERT_EQ(queues.posted(), 3u);
  EXPECT_EQ(queues[2].frame, &behind);
  EXPECT_EQ(large.back().frame, nullptr);  // the queue's now
}

TEST_F(PostingQueuesTest, APutEndsWithTheLastOfItsCopiedParts) {
  queues.wait_with(put_of(0), !kUrgentLine);  // all of it is claimed by a thread that copies
  queues.wait_with(put_of(50), !kUrgentLine);
  queues[0].bulk.claimed = true;
  Frame& a = *pool.take();
  Frame& b = *pool.take();
  queues.add_copied(a, false);
  EXPECT_EQ(&queues.first_copied(), &a);
  queues.pop_copied();
  EXPECT_EQ(queues.posted(), 2u);  // one part is still being copied
  queues.add_copied(b, true);
  queues.pop_copied();
  ASSERT_EQ(queues.posted(), 1u);
  EXPECT_EQ(queues[0].bulk.bytes, 50u);
}

TEST_F(PostingQueuesTest, WhatHasGoneBeforeOthersIsForgottenAtTheFront) {
  for (const std::uint64_t bytes : {1, 2, 3}) queues.wait_with(put_of(bytes), !kUrgentLine);
  queues[1].gone = true;
  queues.forget_gone();
  EXPECT_EQ(queues.posted(), 3u);  // it is not the first
  queues[0].gone = true;
  queues.forget_gone();
  ASSERT_EQ(queues.posted(), 1u);
  EXPECT_EQ(queues[0].bulk.bytes, 3u);
}

TEST_F(PostingQueuesTest, ClearingDropsEachOnceAndGivesCopiedPartsBack) {
  queues.wait_with(put_of(9), !kUrgentLine);
  queues[0].bulk.claimed = true;
  Frame& part = *pool.take();
  queues.add_copied(part, true);
  queues.wait_with(put_of(8), kUrgentLine);
  std::vector<std::uint64_t> dropped;
  queues.clear(pool, [&](Waiting& waiting) { dropped.push_back(waiting.bulk.bytes); });
  EXPECT_EQ(dropped, (std::vector<std::uint64_t>{9, 8}));
  EXPECT_TRUE(queues.empty());
  EXPECT_EQ(queues.copied(), 0u);
  EXPECT_EQ(pool.take(), &part);
}

TEST(MessageCredit, StopsASenderAndLetsItGoOnAcrossTheWrapOfItsCounts) {
  constexpr std::uint32_t kPiece = MessageCredit::kRoom / 4;
  MessageCredit credit;
  std::uint32_t taken = 0;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(credit.post(kPiece));
  EXPECT_FALSE(credit.post(1));
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32) / kPiece + 8; ++i) {
    credit.hear(taken += kPiece);
    ASSERT_TRUE(credit.post(kPiece)) << i;
    ASSERT_FALSE(credit.post(1)) << i;
  }
  credit.begin();
  EXPECT_TRUE(credit.post(MessageCredit::kRoom));
}

TEST(MessageCredit, SaysWhenThePeerShouldBeTold) {
  MessageCredit credit;
  EXPECT_FALSE(credit.take(MessageCredit::kRoom / 8 - 1));
  EXPECT_TRUE(credit.take(1));  // an eighth of the room is free again
  EXPECT_EQ(credit.untold(), MessageCredit::kRoom / 8);
  EXPECT_EQ(credit.tell(), MessageCredit::kRoom / 8);
  EXPECT_EQ(credit.untold(), 0u);
}

TEST(PeerSigns, OlderNewsChangeNothingAndTheLeaseCountsFromTheLatest) {
  PeerSigns signs;
  signs.begin(100);
  EXPECT_EQ(signs.refuses_from(5), 0);  // no lease is known
  signs.meet(1000, 2, 200);
  signs.hear(999, 300);  // came late
  EXPECT_EQ(signs.heard_ns(), 200);
  EXPECT_EQ(signs.clock(), 1000u);
  signs.hear(1001, 400);
  EXPECT_EQ(signs.heard_ns(), 400);
  EXPECT_EQ(signs.refuses_from(5), 400 + 2'000'000 + 5);
  signs.hear(0x80000000u, 500);
  signs.hear(0xfffffff0u, 550);
  signs.hear(3, 600);  // past the end of its numbers
  EXPECT_EQ(signs.clock(), 3u);
}

TEST(Refusals, RememberTheLastFew) {
  const auto put = [](std::uint32_t operation, std::uint32_t index = 0) {
    return Record{.kind = RecordKind::put, .operation = operation, .index = index};
  };
  Refusals refusals;
  refusals.begin();
  EXPECT_FALSE(refusals.has(put(0)));
  for (std::uint32_t operation = 0; operation < 20; ++operation)
    for (int part = 0; part < 20; ++part) refusals.add(put(operation));
  EXPECT_TRUE(refusals.has(put(19)) && refusals.has(put(4)));
  EXPECT_FALSE(refusals.has(put(3)));
  EXPECT_FALSE(refusals.has(put(19, 1))) << "a later use of the same number";
  refusals.begin();
  EXPECT_FALSE(refusals.has(put(19)));
}

// Threads mark links while another takes them: after its last look no link that was marked has been left out.
TEST(DirtyLinks, NoneIsLostAndNoneIsThereTwice) {
  constexpr int kThreads = 4, kLinks = 8, kRounds = 2000;
  NoEvents events;
  std::deque<Link> links;
  for (Rank rank = 0; rank < kLinks; ++rank) links.emplace_back(events, rank);
  DirtyLinks dirty;
  std::array<std::atomic<int>, kLinks> wanted{};  // what a marker has put down before it marks
  std::array<int, kLinks> seen{};
  std::atomic<int> left{kThreads};
  std::vector<std::thread> markers;
  for (int thread = 0; thread < kThreads; ++thread)
    markers.emplace_back([&, thread] {
      for (int i = 0; i < kRounds; ++i) {
        const int link = (i * 5 + thread) % kLinks;
        wanted[link].fetch_add(1);
        dirty.add(links[link]);
      }
      left.fetch_sub(1);
    });
  const auto look = [&] { dirty.take_all([&](Link& link) { seen[link.peer] = wanted[link.peer].load(); }); };
  while (left.load() != 0) look();
  look();
  EXPECT_FALSE(dirty.any());
  for (int link = 0; link < kLinks; ++link) EXPECT_EQ(seen[link], wanted[link].load()) << link;
  for (std::thread& marker : markers) marker.join();

  std::vector<Rank> order;
  for (const int link : {3, 1, 3, 1}) dirty.add(links[link]);
  dirty.take_all([&](Link& link) { order.push_back(link.peer); });
  EXPECT_EQ(order, (std::vector<Rank>{1, 3}));
}

}  // namespace
}  // namespace polder::device::wire
