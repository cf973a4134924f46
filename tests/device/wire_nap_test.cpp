// Who wakes a helper that naps beside threads which poll: the last of them that stops, and once.
#include "device/wire/nap.hpp"

#include <gtest/gtest.h>

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

// A nap beside a thread that polls each `gap_ns` while it polls, which it does for `share` of the time.
std::int64_t nap_beside(Nap& nap, std::int64_t gap_ns, double share = 1) {
  const std::int64_t length = nap.longer(1'000'000'000);
  for (std::int64_t at = 0; at < std::int64_t(double(length) * share); at += gap_ns) nap.polled();
  EXPECT_TRUE(nap.others_poll());
  return length;
}

TEST(Nap, GetsLongestWherePollsAreDense) {
  for (const std::int64_t gap_ns : {500, 40'000}) {
    Nap nap;
    std::int64_t length = 0, all = 0;
    while (length < Nap::kLongestAmidDense_ns && all < 100'000'000) all += length = nap_beside(nap, gap_ns);
    EXPECT_EQ(length, Nap::kLongestAmidDense_ns);
    EXPECT_LE(4 * length, 3 * all) << "no longer than what has been seen of it";
  }
}

TEST(Nap, IsShortForLongBehindAGap) {
  Nap nap;
  while (nap_beside(nap, 10'000) < Nap::kLongestAmidDense_ns) {
  }
  nap_beside(nap, 10'000, 0.25);
  for (int i = 0; i < 64; ++i) EXPECT_LE(nap_beside(nap, 10'000), Nap::kLongest_ns);
  for (int i = 0; i < 4; ++i) nap_beside(nap, 10'000);
  EXPECT_EQ(nap_beside(nap, 10'000), Nap::kLongestAmidDense_ns);
}

// It has come to an end in one nap, and goes on in the next one.
TEST(Nap, IsShortBesideAThreadThatPollsNowAndThen) {
  Nap nap;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t length = nap_beside(nap, 10'000);
    if (i > 20) {
      EXPECT_LE(length, Nap::kLongest_ns) << "it has come to an end before";
    }
    if (i % 20 == 19) nap.brief_again();
  }
}

}  // namespace
}  // namespace polder::device::wire
