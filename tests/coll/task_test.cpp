// Tasks: calls of each other, waiting, ending early, memory of frames, and that nothing awaited is destroyed twice, as
// g++ 12 does with what the rules of coll/task/task.hpp forbid.
#include "coll/task/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace polder::coll {
namespace {

// A strand whose tasks wait for a number to grow.
class Counting : public Strand {
 public:
  using Strand::Strand;
  class AtLeast : public WaitFor<AtLeast> {
   public:
    AtLeast(const int& n, int t) : number(n), target(t) {}
    bool is_ready() { return number >= target; }

   private:
    const int& number;
    int target;
  };
  AtLeast at_least(int target) { return {number, target}; }

  int number = 0;
  std::string log;
};

// Counts what lives in frames.
struct Resident {
  explicit Resident(int& c) : count(c) { ++count; }
  ~Resident() { --count; }
  Resident(const Resident&) = delete;
  int& count;
};

Task leaf(Counting& strand, int from, int to, int& alive) {
  const Resident resident(alive);
  for (int i = from; i <= to; ++i) {
    co_await strand.at_least(i);
    strand.log += std::to_string(i);
  }
}

Task branch(Counting& strand, int& alive) {
  const Resident resident(alive);
  co_await leaf(strand, 1, 2, alive);
  strand.log += '|';
  co_await leaf(strand, 3, 3, alive);
  strand.log += '.';
}

TEST(Task, RunsUntilItHasToWaitAndGoesOnThere) {
  Frames frames;
  Counting strand(frames);
  int alive = 0;
  strand.begin(branch(strand, alive));
  EXPECT_FALSE(strand.advance());
  EXPECT_EQ(strand.log, "");
  EXPECT_FALSE(strand.advance());
  strand.number = 1;
  EXPECT_FALSE(strand.advance());
  EXPECT_EQ(strand.log, "1");
  strand.number = 2;
  EXPECT_FALSE(strand.advance());
  EXPECT_EQ(strand.log, "12|");
  EXPECT_EQ(alive, 2);
  strand.number = 9;
  EXPECT_TRUE(strand.advance());
  EXPECT_EQ(strand.log, "12|3.");
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(strand.under_way());
}

TEST(Task, IsDestroyedWhereItWaits) {
  Frames frames;
  int alive = 0;
  {
    Counting strand(frames);
    strand.begin(branch(strand, alive));
    strand.number = 1;
    EXPECT_FALSE(strand.advance());
    EXPECT_EQ(alive, 2);
    strand.abandon();
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(frames.in_use(), 0u);
    strand.begin(branch(strand, alive));
    EXPECT_FALSE(strand.advance());
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(frames.in_use(), 0u);
}

TEST(Task, AllocatesNothingTheSecondTime) {
  Frames frames;
  int alive = 0;
  std::size_t after_first = 0;
  for (int round = 0; round < 100; ++round) {
    Counting strand(frames);
    strand.number = 9;
    strand.begin(branch(strand, alive));
    EXPECT_TRUE(strand.advance());
    if (round == 0) after_first = frames.reserved();
  }
  EXPECT_EQ(frames.reserved(), after_first);
}

Task deep(Counting& strand, int depth) {
  if (depth > 0) co_await deep(strand, depth - 1);
  co_await strand.at_least(1);
}

// A call that went on by symmetric transfer would take stack for each, without optimisation.
TEST(Task, CallsDoNotPileUpOnTheStack) {
  Frames frames;
  Counting strand(frames);
  strand.begin(deep(strand, 200'000));
  EXPECT_FALSE(strand.advance());
  strand.number = 1;
  EXPECT_TRUE(strand.advance());
  EXPECT_EQ(frames.in_use(), 0u);
}

// A copy of what is awaited lies in the frame; its operand must not be destroyed on top of it. Such types are refused
// when compiled; this holds that those that are let through are counted right by this compiler.
Task with_local(Counting& strand, int& alive, bool first) {
  const Resident resident(alive);
  std::vector<int> kept(100, 7);  // a destructor across a suspension
  const Counting::AtLeast one = strand.at_least(1), two = strand.at_least(2);
  co_await one;
  kept.push_back(int(first));
  co_await (first ? one : two);
  strand.log += std::to_string(kept.size());
}

TEST(Task, LocalsLiveAcrossWaitsAndEndOnce) {
  Frames frames;
  Counting strand(frames);
  int alive = 0;
  for (const bool first : {true, false}) {
    strand.number = 0;
    strand.begin(with_local(strand, alive, first));
    EXPECT_FALSE(strand.advance());
    strand.number = 2;
    EXPECT_TRUE(strand.advance());
    EXPECT_EQ(alive, 0);
  }
  EXPECT_EQ(strand.log, "101101");
}

TEST(Frames, ServesSizesBeyondItsClasses) {
  Frames frames;
  std::vector<void*> taken;
  for (const std::size_t bytes : {1, 48, 49, 4000, 5000, 100'000}) {
    taken.push_back(frames.take(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back()) % 16, 0u);
    std::fill_n(static_cast<char*>(taken.back()), bytes, 'x');
  }
  EXPECT_EQ(frames.in_use(), taken.size());
  for (void* frame : taken) Frames::give(frame);
  EXPECT_EQ(frames.in_use(), 0u);
}

}  // namespace
}  // namespace polder::coll
