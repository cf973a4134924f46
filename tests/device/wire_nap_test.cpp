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

}  // namespace
}  // namespace polder::device::wire
