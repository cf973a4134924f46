#include "common/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using bench::Plan;

// A world of one, in which `from_zero` keeps what was agreed on.
struct Alone {
  int barriers = 0;
  std::vector<std::uint64_t> told;
  int rank() const { return 0; }
  int size() const { return 1; }
  void barrier() { ++barriers; }
  std::uint64_t from_zero(std::uint64_t value) {
    told.push_back(value);
    return value;
  }
  std::uint64_t largest(std::uint64_t value) { return value; }
};

// A world of this rank and another one, whose times are so much later: when it came, started and ended.
struct Beside : Alone {
  std::int64_t came, start, end;
  int calls = 0;
  Beside(std::int64_t came_later, std::int64_t start_later, std::int64_t end_later)
      : came(came_later), start(start_later), end(end_later) {}
  std::uint64_t largest(std::uint64_t value) {
    const auto mine = std::int64_t(value);
    switch (calls++) {
      case 0: return std::max(value, ~std::uint64_t(std::int64_t(~value) + start));
      case 1: return std::uint64_t(std::max(mine, mine + end));
      case 2: return std::uint64_t(std::max(mine, mine + end - start));
      default: return std::uint64_t(std::max(mine, mine + came));
    }
  }
};

const auto nothing = [](std::uint64_t) {};

void spend(std::uint64_t nanoseconds) {
  const std::int64_t end = bench::now_ns() + std::int64_t(nanoseconds);
  while (bench::now_ns() < end) {
  }
}

TEST(Sampling, TakesAsManySamplesAsPlanned) {
  Alone world;
  const auto samples = bench::sample(world, {.repetitions = 7, .sample_ns = 1000}, [](std::uint64_t) {});
  EXPECT_EQ(samples.size(), 7u);
}

TEST(Sampling, DividesByTheIterations) {
  Alone world;
  const auto samples =
      bench::sample(world, {.repetitions = 3, .sample_ns = 2'000'000}, [](std::uint64_t n) { spend(n * 1000); });
  for (const double ns : samples) EXPECT_GE(ns, 1000);
}

TEST(Sampling, BodiesInTurnBeginWithAnotherOneEachTime) {
  Alone world;
  std::vector<int> order;
  struct Body {
    std::vector<int>* order;
    int number;
    void operator()(std::uint64_t n) const {
      order->push_back(number);
      spend(n * (number == 1 ? 3000 : 1000));
    }
  };
  std::vector<Body> bodies{{&order, 0}, {&order, 1}, {&order, 2}};
  const auto samples = bench::sample_each_in_turn(world, {.repetitions = 4, .sample_ns = 200'000}, bodies);
  ASSERT_EQ(samples.size(), 3u);
  for (const auto& each : samples) EXPECT_EQ(each.size(), 4u);
  for (const double ns : samples[1]) EXPECT_GE(ns, 3000);
  ASSERT_GE(order.size(), 12u);
  EXPECT_EQ(std::vector<int>(order.end() - 12, order.end()), (std::vector<int>{0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2}));
}

TEST(Sampling, SlowBodiesRunOnce) {
  Alone world;
  std::uint64_t most = 0;
  (void)bench::sample(world, {.repetitions = 2, .sample_ns = 1000}, [&](std::uint64_t n) {
    most = std::max(most, n);
    spend(5000);
  });
  EXPECT_EQ(most, 1u);
}

TEST(Sampling, FastBodiesStopAtTheMaximum) {
  Alone world;
  std::uint64_t most = 0;
  (void)bench::sample(world, {.repetitions = 1, .sample_ns = 60'000'000'000, .max_iterations = 1000},
                      [&](std::uint64_t n) { most = std::max(most, n); });
  EXPECT_EQ(most, 1000u);
}

TEST(Sampling, TheFirstColdRunIsNotBelieved) {
  Alone world;
  bool cold = true;
  std::uint64_t last = 0;
  (void)bench::sample(world, {.repetitions = 1, .sample_ns = 1'000'000}, [&](std::uint64_t n) {
    if (cold) spend(3'000'000);
    cold = false;
    last = n;
    spend(n * 100);
  });
  EXPECT_GT(last, 1u);
}

TEST(Sampling, RanksThatAreNotZeroFollowIt) {
  // Rank 0 says 5 iterations, then that this is enough.
  struct Follower : Alone {
    int turn = 0;
    std::uint64_t from_zero(std::uint64_t) { return turn++ == 0 ? 5 : 0; }
  } world;
  std::uint64_t last = 0;
  (void)bench::sample(world, {.repetitions = 2, .sample_ns = 1}, [&](std::uint64_t n) { last = n; });
  EXPECT_EQ(last, 5u);
}

TEST(Sampling, TheSpanReachesFromTheFirstStartToTheLastEnd) {
  // Another rank came 4 ms and started 3 ms earlier, and ended 2 ms later than this one.
  Beside world(-4'000'000, -3'000'000, 2'000'000);
  const auto took = bench::time_body(world, nothing, 1, bench::Timed::span);
  EXPECT_GE(took, 5'000'000);
}

TEST(Sampling, ClocksOfSeveralHostsAreNotComparedWithEachOther) {
  // The same from start to end, at a host that was started later or earlier. No clock is before its host's start.
  const std::int64_t apart = bench::now_ns() / 2;
  for (const std::int64_t ahead : {-apart, apart}) {
    Beside world(ahead - 1'000'000, ahead, ahead + 5'000'000);
    const auto took = bench::time_body(world, nothing, 1, bench::Timed::span);
    EXPECT_GE(took, 5'000'000);
    EXPECT_LT(took, apart / 2);
  }
}

TEST(Sampling, EveryTimedRunStartsWithABarrier) {
  Alone world;
  int runs = 0;
  (void)bench::sample(world, {.repetitions = 4, .sample_ns = 1000}, [&](std::uint64_t) { ++runs; });
  EXPECT_EQ(world.barriers, runs);
}

}  // namespace
