// When the kernel is asked which sockets have something, and when that is guessed.
#include "device/ucx/hunch.hpp"

#include <gtest/gtest.h>

namespace polder::device::ucx {
namespace {

constexpr int kSet = 5;

// What the kernel would say.
int answers = 0;
int asked = 0;
int ask_kernel(int, epoll_event* events, int, int timeout) {
  EXPECT_EQ(timeout, 0);
  ++asked;
  for (int i = 0; i < answers; ++i) events[i] = {EPOLLIN, {.u64 = std::uint64_t(i) + 40}};
  return answers;
}

class HunchTest : public testing::Test {
 protected:
  void SetUp() override { answers = asked = 0; }

  // One look at `set`. True if the kernel was asked.
  bool look(int set = kSet) {
    const int before = asked;
    found_ = hunch_.look(set, events_, 4, ask_kernel);
    return asked != before;
  }
  void hear_from_one() {
    answers = 1;
    while (!look()) {
    }
    hunch_.tell(true);
    answers = 0;
  }

  Hunch hunch_;
  epoll_event events_[4] = {};
  int found_ = 0;
};

TEST_F(HunchTest, AsksWhileNothingHasCome) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(look());
    EXPECT_EQ(found_, 0);
  }
}

TEST_F(HunchTest, TakesTheSocketOfTheLastMessageForReady) {
  hear_from_one();
  ASSERT_FALSE(look());
  EXPECT_EQ(found_, 1);
  EXPECT_EQ(events_[0].data.u64, 40u);
  EXPECT_EQ(events_[0].events, std::uint32_t(EPOLLIN));
}

TEST_F(HunchTest, AsksNowAndThenSoThatOthersAreHeard) {
  hear_from_one();
  int times = 0;
  for (int i = 0; i < 80; ++i) times += look() ? 1 : 0;
  EXPECT_GE(times, 8);
  EXPECT_LE(times, 20);
}

TEST_F(HunchTest, GivesUpWhenNothingComesForLong) {
  hear_from_one();
  for (int i = 0; i < 1000; ++i) hunch_.tell(false);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(look());
}

TEST_F(HunchTest, GuessesNothingWhereSeveralSocketsAreBusy) {
  hear_from_one();
  answers = 2;
  while (!look()) {
  }
  EXPECT_EQ(found_, 2);
  EXPECT_TRUE(look());
}

TEST_F(HunchTest, GuessesNothingAboutAnotherSet) {
  hear_from_one();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(look(kSet + 1));
}

// The socket may be gone, and what the event points to with it.
TEST_F(HunchTest, ForgetsWhenSocketsChange) {
  hear_from_one();
  ASSERT_FALSE(look());
  Hunch::note_change();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(look());
}

TEST_F(HunchTest, AChangeWhileTheKernelIsAskedCountsToo) {
  const auto change_meanwhile = [](int set, epoll_event* events, int limit, int timeout) {
    const int found = ask_kernel(set, events, limit, timeout);
    Hunch::note_change();
    return found;
  };
  answers = 1;
  Hunch::Wait* const wait = change_meanwhile;
  hunch_.look(kSet, events_, 4, *wait);
  hunch_.tell(true);
  EXPECT_TRUE(look());
}

}  // namespace
}  // namespace polder::device::ucx
