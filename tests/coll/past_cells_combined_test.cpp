// Long letters between machines that are combined, out of memory into which their rest goes past the cells.
#include "core/ranks.hpp"
#include "past_cells.hpp"
#include "words.hpp"

#include <polder/collective.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::test {
namespace {

class CombinedPastCellsTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, CombinedPastCellsTest, testing::ValuesIn(worlds({2, 3})), name_of_param);

// Of 24 bytes: not as many in a frame as it has room for.
struct Triple {
  std::uint64_t sum = 0, rank = 0, more = 0;
};
Status add(const void* one, const void* two, void* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Triple left = static_cast<const Triple*>(one)[i], right = static_cast<const Triple*>(two)[i];
    static_cast<Triple*>(result)[i] = {left.sum + right.sum, left.rank, right.more};
  }
  return {};
}

TEST_P(CombinedPastCellsTest, ElementsAreCombinedWhole) {
  run([](Runtime& rt) {
    constexpr std::size_t kCount = 90'001;
    std::vector<Triple> mine(kCount);
    for (std::size_t i = 0; i < kCount; ++i) mine[i] = {word(rt.rank(), i), rt.rank(), rt.rank()};
    const Words expected = sum_of(rt.size(), kCount);
    for (const char* algorithm : {"whole", "ordered", "slices"})
      for (Rank root = 0; root < rt.size(); ++root) {
        std::vector<Triple> all(kCount);
        auto call = Collective::reduce(rt.world(), root, {kCount, sizeof(Triple), add, false}, mine.data(), all.data());
        ASSERT_TRUE(ok(call) && ok(call->use(algorithm)) && ok(call->run(kPatience))) << algorithm;
        for (std::size_t i = 0; rt.rank() == root && i < kCount; ++i)
          ASSERT_TRUE(all[i].sum == expected[i] && all[i].rank == 0 && all[i].more + 1 == rt.size())
              << algorithm << ", element " << i;
      }
  });
}

// And the vector that is sent stays as it is.
TEST_P(CombinedPastCellsTest, OnlyTheRootNeedsRoomForTheResult) {
  run([](Runtime& rt) {
    for (const std::size_t count : {std::size_t{3}, kLong / 8})
      for (const char* algorithm : {"whole", "ordered", "slices", "scatter_gather"})
        for (Rank root = 0; root < rt.size(); ++root) {
          const Words mine = words(rt.rank(), count);
          Words all(rt.rank() == root ? count : 0);
          auto call = Collective::reduce(rt.world(), root, sum(count), mine.data(), all.empty() ? nullptr : all.data());
          ASSERT_TRUE(ok(call) && ok(call->use(algorithm)) && ok(call->run(kPatience))) << algorithm;
          ASSERT_EQ(mine, words(rt.rank(), count)) << algorithm;
          if (rt.rank() == root) {
            ASSERT_EQ(all, sum_of(rt.size(), count)) << algorithm;
          }
        }
  });
}

// Around the lengths from which there is more than one chunk, and from which they go round in a ring; on all lanes, and both halves of each.
TEST_P(CombinedPastCellsTest, CombinedLettersOfEveryLengthArriveWhole) {
  run([](Runtime& rt) {
    for (const std::size_t frames : {4, 16, 41})
      for (const std::size_t bytes : {frames * kFrame - 8, frames * kFrame, frames * kFrame + 8})
        for (int round = 0; round < 9; ++round) {
          const Rank root = Rank(round) % rt.size();
          const std::size_t count = bytes / 8;
          const Words mine = words(rt.rank(), count);
          Words all(count);
          if (rt.rank() == Rank(round / 3) % rt.size()) rest(1ms);
          auto call = Collective::reduce(rt.world(), root, sum(count), mine.data(), all.data());
          ASSERT_TRUE(ok(call) && ok(call->use("whole")) && ok(call->run(kPatience)));
          if (rt.rank() == root) {
            ASSERT_EQ(all, sum_of(rt.size(), count)) << bytes << " bytes, round " << round;
          }
        }
  });
}

// In the middle of a letter, at one member only: all hear of it, and later letters arrive.
TEST_P(CombinedPastCellsTest, CombiningMayFailAmidALetter) {
  run([](Runtime& rt) {
    const std::size_t count = kLong / 8;
    const Words mine = words(rt.rank(), count), expected = sum_of(rt.size(), count);
    for (int round = 0; round < 3; ++round) {
      Words all(count);
      int calls = 0;
      const Combine fails_later = [&](const void* one, const void* two, void* result, std::size_t n) -> Status {
        if (++calls == 2) return {Code::invalid_argument, "enough by now"};
        for (std::size_t i = 0; i < n; ++i)
          static_cast<std::uint64_t*>(result)[i] =
              static_cast<const std::uint64_t*>(one)[i] + static_cast<const std::uint64_t*>(two)[i];
        return {};
      };
      auto failing = Collective::allreduce(rt.world(), {count, 8, fails_later}, mine.data(), all.data());
      ASSERT_TRUE(ok(failing) && ok(failing->use("reduce_broadcast")));
      EXPECT_TRUE(fails(failing->run(kPatience), Code::invalid_argument, "enough by now"));
      auto adding = Collective::allreduce(rt.world(), sum(count), mine.data(), all.data());
      ASSERT_TRUE(ok(adding) && ok(adding->use("reduce_broadcast")) && ok(adding->run(kPatience)));
      ASSERT_EQ(all, expected) << round;
    }
  });
}

}  // namespace
}  // namespace polder::test
