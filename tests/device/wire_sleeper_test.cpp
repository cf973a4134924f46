// When the thread that waits for the network polls, naps and sleeps.
#include "device/wire/state/sleeper.hpp"
#include "util/deadline.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace polder::device::wire {
namespace {

constexpr std::int64_t kForever_ns = 60'000'000'000;

// Does what the test says at each turn, and counts.
class Script final : public Sleeper::Network {
 public:
  bool pending() override { return pending_; }
  int turn() override {
    ++turns;
    return at_turn ? at_turn(turns) : 0;
  }
  void look_after_peers() override { ++looks; }
  Armed arm() override {
    ++arms;
    return at_arm ? at_arm(arms) : Armed::yes;
  }
  void disarm() override { ++disarms; }
  int event_fd() override { return events_.get(); }
  bool unsent() override { return unsent_; }

  void let_something_come() {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(events_.get(), &one, sizeof one), ssize_t(sizeof one));
  }

  std::function<int(int)> at_turn;
  std::function<Armed(int)> at_arm;
  std::atomic<bool> pending_{false}, unsent_{false};
  int turns = 0, looks = 0, arms = 0, disarms = 0;

 private:
  util::Fd events_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};

using Armed = Script::Armed;

class SleeperTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(sleeper_.open().ok()); }
  void in_another_thread(const std::function<void()>& what) { std::thread(what).join(); }

  Sleeper sleeper_;
  Script network_;
};

// What was left between the last look and the sleep is found before the thread sleeps.
TEST_F(SleeperTest, DoesNotSleepOnWhatIsUnsent) {
  network_.at_arm = [&](int) {
    network_.unsent_ = true;
    return Armed::yes;
  };
  network_.at_turn = [&](int turn) {
    network_.unsent_ = false;
    return turn == 2 ? 1 : 0;
  };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 2);
}

TEST_F(SleeperTest, LooksSoonUnlessAThreadSleepsUntilSomethingComes) {
  EXPECT_TRUE(sleeper_.looks_soon());
  std::atomic<bool> has_come{false};
  network_.at_turn = [&](int) { return has_come ? 1 : 0; };
  std::thread helper([&] { sleeper_.wait(network_, kForever_ns); });
  while (sleeper_.looks_soon()) std::this_thread::yield();
  has_come = true;
  network_.let_something_come();
  helper.join();
  EXPECT_TRUE(sleeper_.looks_soon());
}

// A thread that polls in a wait and sleeps there. The helper's nap need not end for it, so it takes no turn here.
class SleeperInWaitTest : public SleeperTest {
 protected:
  SleptInWait sleep_in_wait(std::int64_t nanoseconds) {
    sleeper_.poll_in_wait(true);
    sleeper_.note_poll();
    const SleptInWait slept = sleeper_.sleep_in_wait(network_, nanoseconds);
    sleeper_.poll_in_wait(false);
    return slept;
  }
};

TEST_F(SleeperInWaitTest, SleepsUntilSomethingComes) {
  network_.at_arm = [&](int) { return network_.let_something_come(), Armed::yes; };
  EXPECT_EQ(sleep_in_wait(kForever_ns), SleptInWait::woken);
  EXPECT_EQ(network_.turns, 0);
  EXPECT_EQ(network_.disarms, 1);
}

TEST_F(SleeperInWaitTest, SleepsForSoLongAtMost) {
  EXPECT_EQ(sleep_in_wait(1'000'000), SleptInWait::over);
  EXPECT_EQ(network_.disarms, 1);
}

TEST_F(SleeperInWaitTest, DoesNotSleepWhereThereIsSomethingToDo) {
  network_.pending_ = true;
  EXPECT_EQ(sleep_in_wait(kForever_ns), SleptInWait::woken);
  network_.pending_ = false;
  for (const Armed armed : {Armed::no, Armed::occupied}) {
    network_.at_arm = [armed](int) { return armed; };
    EXPECT_EQ(sleep_in_wait(kForever_ns), SleptInWait::woken);
  }
  EXPECT_EQ(network_.disarms, 0);
  network_.at_arm = [&](int) {
    network_.unsent_ = true;
    return Armed::yes;
  };
  EXPECT_EQ(sleep_in_wait(kForever_ns), SleptInWait::woken);
  EXPECT_EQ(network_.disarms, 1);
}

// Which would take what this one waits for, and ring its bell.
TEST_F(SleeperInWaitTest, DoesNotSleepBesideAnotherThreadInAWait) {
  sleeper_.poll_in_wait(true);  // of the other one
  EXPECT_EQ(sleep_in_wait(kForever_ns), SleptInWait::not_alone);
  EXPECT_EQ(network_.arms, 0);
  sleeper_.poll_in_wait(false);
  EXPECT_EQ(sleep_in_wait(1'000'000), SleptInWait::over);
}

TEST_F(SleeperInWaitTest, NoticesThatAnotherThreadHasPolledMeanwhile) {
  network_.at_arm = [&](int) {
    in_another_thread([&] { sleeper_.note_poll(); });
    return Armed::yes;
  };
  EXPECT_EQ(sleep_in_wait(1'000'000), SleptInWait::not_alone);
}

// What is left to whoever looks next would lie there until the thread wakes.
TEST_F(SleeperInWaitTest, DoesNotLookSoonWhileItSleeps) {
  std::thread waiting([&] { EXPECT_EQ(sleep_in_wait(kForever_ns), SleptInWait::woken); });
  while (sleeper_.looks_soon()) std::this_thread::yield();
  network_.let_something_come();
  waiting.join();
  EXPECT_TRUE(sleeper_.looks_soon());
}

TEST_F(SleeperTest, AWakeBeforehandEndsTheWait) {
  sleeper_.wake();
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 0);
}

TEST_F(SleeperTest, EndsWithWhatATurnBrings) {
  network_.at_turn = [](int) { return 1; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 1);
  EXPECT_EQ(network_.arms, 0);
}

TEST_F(SleeperTest, WhatIsPendingNeedsNoTurn) {
  network_.pending_ = true;
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 0);
}

TEST_F(SleeperTest, SleepsUntilSomethingComes) {
  network_.at_arm = [&](int) { return network_.let_something_come(), Armed::yes; };
  network_.at_turn = [](int turn) { return turn == 2 ? 1 : 0; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 2);
  EXPECT_EQ(network_.looks, 1) << "it looks after peers before it sleeps";
  EXPECT_EQ(network_.disarms, 1) << "it says that it is awake again";
}

TEST_F(SleeperTest, AWakeInBetweenIsNotLost) {
  network_.at_arm = [&](int) { return sleeper_.wake(), Armed::yes; };  // after the last look, before the sleep
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.arms, 1);
}

TEST_F(SleeperTest, LooksAgainAtOnceWhereThereIsSomethingToDo) {
  network_.at_arm = [](int) { return Armed::no; };
  network_.at_turn = [](int turn) { return turn == 3 ? 1 : 0; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 3);
  EXPECT_EQ(network_.disarms, 0) << "it has not slept";
}

TEST_F(SleeperTest, ItsOwnPollsDoNotKeepItAway) {
  sleeper_.wake();
  sleeper_.wait(network_, 0);  // from now on it is the one that waits
  sleeper_.note_poll();
  network_.at_arm = [&](int) { return sleeper_.wake(), Armed::yes; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.arms, 1);
}

TEST_F(SleeperTest, NapsWhileAnotherThreadPolls) {
  network_.at_turn = [&](int turn) {
    if (turn <= 5) in_another_thread([&] { sleeper_.note_poll(); });
    EXPECT_TRUE(turn > 5 || network_.arms == 0) << "it is in the way of the thread that polls";
    return 0;
  };
  network_.at_arm = [&](int) { return sleeper_.wake(), Armed::yes; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 6);
}

TEST_F(SleeperTest, LeavesTheNetworkToAThreadThatHasPolled) {
  in_another_thread([&] { sleeper_.note_poll(); });
  network_.at_arm = [&](int) { return sleeper_.wake(), Armed::yes; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.looks, 2) << "a nap, and a look whether it still polls";
  EXPECT_EQ(network_.turns, 1) << "behind the nap";
}

// It runs what the program gave it: a function that combines, a handler, a continuation.
TEST_F(SleeperTest, TakesOverFromAThreadThatDoesSomethingElseInItsWait) {
  sleeper_.poll_in_wait(true);
  network_.at_turn = [](int) { return 1; };
  sleeper_.wait(network_, 2'000'000'000);
  EXPECT_EQ(network_.turns, 1);
  EXPECT_GT(network_.looks, 2) << "not before it has waited for polls";
}

TEST_F(SleeperTest, TakesOverWhenPollingEnds) {
  network_.at_turn = [&](int turn) {
    if (turn == 1)
      in_another_thread([&] {
        sleeper_.note_poll();
        sleeper_.stop_polling();
      });
    return 0;
  };
  network_.at_arm = [&](int) { return sleeper_.wake(), Armed::yes; };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 1) << "without a nap";
}

// Naps of 50, 100, ... 1000 us: six of them take 2.5 ms.
TEST_F(SleeperTest, LeavesAThreadThatIsInsideForLongAlone) {
  network_.at_turn = [&](int turn) { return turn == 7 ? 1 : 0; };
  network_.at_arm = [](int) { return Armed::occupied; };
  const std::int64_t begin = util::now_ns();
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 7);
  EXPECT_GE(util::now_ns() - begin, 2'000'000) << "each nap is twice as long";
}

TEST_F(SleeperTest, PollsOnBetweenThePartsOfATransfer) {
  network_.at_turn = [&](int turn) {
    if (turn < 10) sleeper_.note_part_come(true);
    return turn == 10 ? 1 : 0;
  };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 10);
  EXPECT_EQ(network_.arms, 0) << "it slept in the middle";
}

TEST_F(SleeperTest, LeavesATransferToAThreadThatPolls) {
  network_.at_turn = [&](int turn) {
    sleeper_.note_part_come(true);
    if (turn == 3) {
      in_another_thread([&] { sleeper_.note_poll(); });
      EXPECT_EQ(network_.looks, 0);
    }
    EXPECT_TRUE(turn != 4 || network_.looks == 1) << "it naps meanwhile";
    return turn == 4 ? 1 : 0;
  };
  sleeper_.wait(network_, kForever_ns);
  EXPECT_EQ(network_.turns, 4);
}

}  // namespace
}  // namespace polder::device::wire
