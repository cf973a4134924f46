// Fences: what was posted before is visible after. Whether it is, is told past the runtime, from thread to thread.
#include "core/ranks.hpp"

#include <atomic>
#include <thread>

namespace polder::test {
namespace {

class Fences : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Fences, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

using Fence = std::function<Status(Runtime&)>;

void check_fence(const World& world, const Fence& fence) {
  constexpr std::uint64_t kRounds = 30;
  std::vector<std::atomic<std::uint64_t>> told(world.ranks), read(world.ranks);
  const auto wait_for = [](std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    while (counter.load() < value) let_others_run();
  };
  run_ranks(world.ranks, world.options(), [&](Runtime& rt) {
    auto segment = rt.create_segment({.size = 20'000, .id = 5}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    auto queue = *rt.create_queue();
    const Rank to = next_of(rt);
    const auto words = segment->as<std::uint64_t>();
    bool good = true;
    for (std::uint64_t round = 1; round <= kRounds;
         ++round) {  // all rounds, whatever fails, or the others would wait for good
      const std::vector<std::uint64_t> block(2000, round);
      const std::int64_t one = 1;
      good = good && rt.put(block.data(), {to, 5, 0}, 16'000).ok();
      good = good && rt.put(&round, {to, 5, 16'000}, 8, *queue).ok();
      good =
          good && rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, &one, {to, 5, 16'008}, 8, *queue).ok();
      EXPECT_TRUE(ok(fence(rt)));
      told[to].store(round);
      wait_for(told[rt.rank()], round);
      for (std::size_t i : {0, 1, 999, 1999, 2000, 2001}) EXPECT_EQ(words[i], round) << "word " << i;
      read[rt.rank()].store(round);
      wait_for(read[to], round);
    }
    EXPECT_TRUE(good);
  });
}

TEST_P(Fences, OfARank) {
  check_fence(GetParam(), [](Runtime& rt) { return rt.fence(next_of(rt), kPatience); });
}

TEST_P(Fences, OfASegment) {
  check_fence(GetParam(), [](Runtime& rt) { return rt.fence_segment(5, kPatience); });
}

TEST_P(Fences, OfAll) {
  check_fence(GetParam(), [](Runtime& rt) { return rt.fence_all(kPatience); });
}

}  // namespace
}  // namespace polder::test
