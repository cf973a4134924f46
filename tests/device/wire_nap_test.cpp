// Who wakes a helper that naps beside threads which poll: the last of them that stops, and once.
#include "device/wire/state/nap.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

namespace polder::device::wire {
namespace {

template <class Body>
void in_another_thread(Body&& body) {
  std::thread(body).join();
}

TEST(Nap, IsTakenBesideAThreadThatPolls) {
  Nap nap;
  EXPECT_FALSE(nap.others_poll()) << "nobody has polled yet";
  nap.polled();
  EXPECT_TRUE(nap.others_poll());
  EXPECT_FALSE(nap.others_poll()) << "not since then";
  EXPECT_TRUE(nap.begin());
  nap.end();
}

TEST(Nap, IsEndedByOneWord) {
  Nap nap;
  nap.polled();
  EXPECT_TRUE(nap.others_poll());
  ASSERT_TRUE(nap.begin());
  EXPECT_TRUE(nap.stop_polling());
  nap.polled();
  EXPECT_FALSE(nap.stop_polling()) << "the helper has been told";
  nap.end();
  EXPECT_FALSE(nap.others_poll()) << "they have stopped";
}

TEST(Nap, NeedsNoWordWhileNobodyNaps) {
  Nap nap;
  nap.polled();
  EXPECT_FALSE(nap.stop_polling());
  EXPECT_FALSE(nap.begin()) << "polling has ended before it began";
  nap.end();
}

TEST(Nap, GoesOnWhileAnotherThreadPolls) {
  Nap nap;
  nap.polled();
  EXPECT_TRUE(nap.others_poll());
  ASSERT_TRUE(nap.begin());
  in_another_thread([&] { nap.polled(); });
  EXPECT_FALSE(nap.stop_polling()) << "the other one will say so";
  in_another_thread([&] {
    nap.polled();
    EXPECT_TRUE(nap.stop_polling());
  });
  nap.end();
}

TEST(Nap, IsTakenBesideAThreadThatWaits) {
  Nap nap;
  nap.poll_in_wait(true);
  EXPECT_TRUE(nap.others_poll());
  EXPECT_TRUE(nap.others_poll()) << "others have its core";
  nap.poll_in_wait(false);
  EXPECT_FALSE(nap.others_poll());
}

TEST(Nap, IsNotTakenForLongBesideAThreadThatWaitsAndDoesNotPoll) {
  Nap nap;
  nap.poll_in_wait(true);
  std::int64_t silent = 0;
  while (nap.others_poll() && silent < 1'000'000'000) silent += nap.longer(1'000'000'000);
  EXPECT_GE(silent, Nap::kLongestSilence_ns);
  EXPECT_LE(silent, Nap::kLongestSilence_ns + Nap::kLongestAmidDense_ns);
  nap.brief_again();
  EXPECT_FALSE(nap.others_poll()) << "until it polls again";
  in_another_thread([&] { nap.polled(); });
  EXPECT_TRUE(nap.others_poll());
  EXPECT_TRUE(nap.others_poll());
}

// Whoever sleeps behind that would not hear the network.
TEST(Nap, IsEndedOnceHoweverTwoLeaveAtTheSameTime) {
  constexpr int kRounds = 2'000;
  Nap nap;
  std::barrier<> begin(3), end(3);
  std::atomic<int> rings{0};
  const auto wait = [&] {
    for (int round = 0; round < kRounds; ++round) {
      nap.poll_in_wait(true);
      nap.polled();
      begin.arrive_and_wait();
      begin.arrive_and_wait();
      nap.polled();
      nap.poll_in_wait(false);
      rings += nap.stop_polling();
      end.arrive_and_wait();
    }
  };
  std::thread one(wait), other(wait);
  for (int round = 0; round < kRounds; ++round) {
    begin.arrive_and_wait();
    EXPECT_TRUE(nap.others_poll());
    EXPECT_TRUE(nap.begin());
    begin.arrive_and_wait();
    end.arrive_and_wait();
    nap.end();
    EXPECT_EQ(rings.exchange(0), 1) << "round " << round;
  }
  one.join();
  other.join();
}

// The one that polled last leaves first.
TEST(Nap, IsEndedByTheLastOfThoseThatWait) {
  Nap nap;
  in_another_thread([&] { nap.poll_in_wait(true); });
  nap.poll_in_wait(true);
  nap.polled();
  EXPECT_TRUE(nap.others_poll());
  ASSERT_TRUE(nap.begin());
  nap.poll_in_wait(false);
  EXPECT_FALSE(nap.stop_polling()) << "the other one is in a wait";
  in_another_thread([&] {
    nap.poll_in_wait(false);
    EXPECT_TRUE(nap.stop_polling());
  });
  nap.end();
}

TEST(Nap, IsTakenBesideAThreadThatPollsAgain) {
  Nap nap;
  nap.polled();
  EXPECT_FALSE(nap.stop_polling());
  nap.polled();
  EXPECT_TRUE(nap.others_poll()) << "it is back";
  EXPECT_TRUE(nap.begin());
  EXPECT_TRUE(nap.stop_polling()) << "and says so again";
  nap.end();
}

TEST(Nap, GetsLonger) {
  Nap nap;
  EXPECT_EQ(nap.longer(1'000'000'000), Nap::kBrief_ns);
  EXPECT_EQ(nap.longer(1'000'000'000), 2 * Nap::kBrief_ns);
  for (int i = 0; i < 10; ++i) nap.longer(1'000'000'000);
  EXPECT_EQ(nap.longer(1'000'000'000), Nap::kLongest_ns);
  EXPECT_EQ(nap.longer(5), 5);
  nap.brief_again();
  EXPECT_EQ(nap.longer(1'000'000'000), Nap::kBrief_ns);
}

// A nap in which another thread polls, or is in a wait and has no core.
std::int64_t nap_beside(Nap& nap, bool polls = true) {
  const std::int64_t length = nap.longer(1'000'000'000);
  if (polls) nap.polled();
  EXPECT_TRUE(nap.others_poll());
  return length;
}

TEST(Nap, GetsLongestWhereOthersPollInAll) {
  for (const bool waits : {false, true}) {
    Nap nap;
    if (waits) nap.poll_in_wait(true);
    std::int64_t length = 0, all = 0;
    for (int i = 0; length < Nap::kLongestAmidDense_ns && i < 100; ++i)
      all += length = nap_beside(nap, !waits || i % 2 == 0);
    EXPECT_EQ(length, Nap::kLongestAmidDense_ns);
    EXPECT_LE(4 * length, 3 * all) << "no longer than what has been seen of it";
  }
}

TEST(Nap, IsShortForLongBehindAGap) {
  Nap nap;
  while (nap_beside(nap) < Nap::kLongestAmidDense_ns) {
  }
  EXPECT_FALSE(nap.others_poll());
  nap.brief_again();
  for (int i = 0; i < 64; ++i) EXPECT_LE(nap_beside(nap), Nap::kLongest_ns);
  for (int i = 0; i < 12; ++i) nap_beside(nap);
  EXPECT_EQ(nap_beside(nap), Nap::kLongestAmidDense_ns);
}

// It has come to an end in one nap, and goes on in the next one.
TEST(Nap, IsShortBesideAThreadThatPollsNowAndThen) {
  Nap nap;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t length = nap_beside(nap);
    if (i > 20) {
      EXPECT_LE(length, Nap::kLongest_ns) << "it has come to an end before";
    }
    if (i % 20 == 19) nap.brief_again();
  }
}

}  // namespace
}  // namespace polder::device::wire
