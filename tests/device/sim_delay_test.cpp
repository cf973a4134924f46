#include "sim_fixture.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace polder::device::sim {
namespace {

std::vector<std::int64_t> draw(const FabricOptions& options, Rank source, Rank target, Leg leg) {
  std::vector<std::int64_t> delays;
  for (std::uint64_t number = 0; number < 1000; ++number)
    delays.push_back(delay_ns(options, source, target, number, leg));
  return delays;
}

TEST(SimDelay, IsAFunctionOfSeedRanksAndNumber) {
  const FabricOptions options{.ranks = 4, .min_delay_ns = 100, .max_delay_ns = 100'000, .seed = 7};
  FabricOptions other_seed = options;
  other_seed.seed = 8;
  const auto delays = draw(options, 1, 2, Leg::request);
  EXPECT_EQ(delays, draw(options, 1, 2, Leg::request));
  EXPECT_NE(delays, draw(other_seed, 1, 2, Leg::request));
  EXPECT_NE(delays, draw(options, 2, 1, Leg::request));
  EXPECT_NE(delays, draw(options, 1, 3, Leg::request));
  EXPECT_NE(delays, draw(options, 1, 2, Leg::reply));
}

TEST(SimDelay, CoversItsRangeEvenly) {
  const FabricOptions options{.min_delay_ns = 1000, .max_delay_ns = 1009};
  const auto delays = draw(options, 0, 1, Leg::request);
  EXPECT_EQ(*std::min_element(delays.begin(), delays.end()), 1000);
  EXPECT_EQ(*std::max_element(delays.begin(), delays.end()), 1009);
  for (std::int64_t delay = 1000; delay <= 1009; ++delay)
    EXPECT_NEAR(double(std::count(delays.begin(), delays.end(), delay)), 100.0, 40.0) << delay;
}

TEST(SimDelay, FixedWhereTheRangeIsEmpty) {
  const FabricOptions options{.min_delay_ns = 500, .max_delay_ns = 500};
  const auto delays = draw(options, 0, 1, Leg::request);
  EXPECT_EQ(std::set<std::int64_t>(delays.begin(), delays.end()), (std::set<std::int64_t>{500}));
}

struct Arrivals {
  std::vector<std::size_t> order;  // of the words of a burst of puts
  std::int64_t blur_ns;  // how long posting took and, at most, no one looked: puts that close may change places
};

Arrivals arrivals(std::uint64_t seed) {
  constexpr std::size_t kPuts = 12;
  const FabricOptions options{.ranks = 2, .min_delay_ns = 0, .max_delay_ns = 300'000'000, .seed = seed};
  Network network(options);
  std::vector<std::uint64_t> values(kPuts, 1);
  std::vector<Watch> watches(kPuts);
  const std::int64_t begin = util::now_ns();
  for (std::size_t i = 0; i < kPuts; ++i) EXPECT_TRUE(network.put(0, 1, &values[i], i, &watches[i]).ok());
  std::int64_t looked = util::now_ns();
  const std::int64_t posting = looked - begin;
  std::int64_t blind = 0;
  std::vector<std::size_t> order;
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < kPuts; ++i)
      if (network.memory(1).words[i] != 0 && std::find(order.begin(), order.end(), i) == order.end())
        order.push_back(i);
    blind = std::max(blind, util::now_ns() - std::exchange(looked, util::now_ns()));
    return order.size() == kPuts;
  }));
  for (Watch& watch : watches) EXPECT_TRUE(watch.wait().ok());
  return {order, posting + blind};
}

// What the seed says; numbers that are drawn nearly alike may arrive in either order.
TEST(SimDelay, DecidesTheOrderOfArrival) {
  constexpr std::int64_t kClose = 40'000'000;
  bool reordered = false;
  for (const std::uint64_t seed : {1, 2}) {
    const FabricOptions options{.ranks = 2, .min_delay_ns = 0, .max_delay_ns = 300'000'000, .seed = seed};
    const auto [order, blur] = arrivals(seed);
    for (std::size_t a = 0; a < order.size(); ++a)
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        const auto first = delay_ns(options, 0, 1, order[a], Leg::request);
        const auto second = delay_ns(options, 0, 1, order[b], Leg::request);
        EXPECT_LT(first, second + kClose + blur) << "put " << order[a] << " before " << order[b] << ", seed " << seed;
        if (order[a] > order[b]) reordered = true;
      }
  }
  EXPECT_TRUE(reordered) << "puts pass each other";
}

TEST(SimDelay, OperationTakesAtLeastBothWays) {
  Network network({.ranks = 2, .min_delay_ns = 3'000'000, .max_delay_ns = 3'000'000});
  std::uint64_t value = 1;
  Watch watch;
  const std::int64_t before = util::now_ns();
  ASSERT_TRUE(network.put(0, 1, &value, 0, &watch).ok());
  ASSERT_TRUE(watch.wait().ok());
  EXPECT_GE(watch.done_ns() - before, 6'000'000);
}

}  // namespace
}  // namespace polder::device::sim
