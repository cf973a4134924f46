// Letters that go in steps: a member of a chain hands on what has come while the rest of it comes; short ones through cells, long ones
// past them, and those whose reader was late first the one and then the other.
#include "core/group/letter_room.hpp"
#include "core/ranks.hpp"
#include "own_memory.hpp"
#include "words.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace polder::test {
namespace {

constexpr std::size_t kFrame = core::LetterRoom::kSpan * core::LetterRoom::kCell;  // of the network
constexpr std::size_t kLong = 20 * kFrame + 1000;                                  // bytes

class StepsTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, StepsTest, testing::ValuesIn(worlds({4})), name_of_param);

void expect_broadcast(Runtime& rt, Rank root, std::uint64_t number, std::size_t bytes) {
  const auto expected = noise(number, bytes);
  constexpr std::size_t kMargin = 64;
  constexpr std::byte kFree{0x5a};
  std::vector<std::byte> data(bytes + 2 * kMargin, kFree);
  if (rt.rank() == root) std::copy(expected.begin(), expected.end(), data.begin() + kMargin);
  auto call = Collective::broadcast(rt.world(), root, data.data() + kMargin, bytes);
  ASSERT_TRUE(ok(call) && ok(call->use("chain")) && ok(call->run(kPatience)));
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin() + kMargin)) << bytes;
  const auto is_free = [](std::byte byte) { return byte == kFree; };
  ASSERT_TRUE(std::all_of(data.begin(), data.begin() + kMargin, is_free) &&
              std::all_of(data.end() - kMargin, data.end(), is_free))
      << bytes;
}

// Around the lengths from which pieces are longer, and letters go past the cells.
TEST_P(StepsTest, BroadcastsOfEveryLengthArriveWhole) {
  run([](Runtime& rt) {
    std::uint64_t number = 0;
    for (const std::size_t bytes :
         {std::size_t{1}, kFrame / 2 - 64, 3 * kFrame - 1, 3 * kFrame, 8 * kFrame + 1, 16 * kFrame, kLong})
      for (const Rank root : {Rank{0}, Rank{2}}) expect_broadcast(rt, root, ++number, bytes);
  });
}

// Whoever is late finds a letter of which some has come through cells, and takes the rest past them.
TEST_P(StepsTest, AnyMemberMayBeLate) {
  run([](Runtime& rt) {
    for (Rank late = 0; late < rt.size(); ++late)
      for (std::uint64_t round = 0; round < 3; ++round) {
        if (rt.rank() == late) rest(3ms);
        expect_broadcast(rt, 0, 10 * late + round, kLong);
      }
  });
}

// An element of any size, with the sum of what members up to this one gave in its first word and noise of this member behind it.
std::vector<std::byte> elements_of(Rank rank, std::size_t count, std::size_t size) {
  std::vector<std::byte> all = noise(rank, count * size);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t first = word(rank, i);
    std::memcpy(all.data() + i * size, &first, sizeof first);
  }
  return all;
}

ReductionSpec first_words(std::size_t count, std::size_t size) {
  const auto add = [size](const void* one, const void* two, void* result, std::size_t n) -> Status {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t left = 0, right = 0;
      std::memcpy(&left, static_cast<const std::byte*>(one) + i * size, sizeof left);
      std::memcpy(&right, static_cast<const std::byte*>(two) + i * size, sizeof right);
      left += right;
      std::byte* const to = static_cast<std::byte*>(result) + i * size;
      std::memmove(to, static_cast<const std::byte*>(two) + i * size, size);
      std::memcpy(to, &left, sizeof left);
    }
    return {};
  };
  return {count, size, add, false};
}

void expect_scan(Runtime& rt, std::size_t count, std::size_t size) {
  const auto mine = elements_of(rt.rank(), count, size);
  std::vector<std::byte> all(mine.size()), before(mine.size());
  auto scan = Collective::scan(rt.world(), first_words(count, size), mine.data(), all.data());
  ASSERT_TRUE(ok(scan) && ok(scan->use("chain")) && ok(scan->run(kPatience)));
  auto exscan = Collective::exscan(rt.world(), first_words(count, size), mine.data(), before.data());
  ASSERT_TRUE(ok(exscan) && ok(exscan->use("chain")) && ok(exscan->run(kPatience)));
  auto scanned = mine, exscanned = mine;
  auto in_place = Collective::scan(rt.world(), first_words(count, size), scanned.data(), scanned.data());
  ASSERT_TRUE(ok(in_place) && ok(in_place->use("chain")) && ok(in_place->run(kPatience)));
  EXPECT_EQ(scanned, all);
  auto ex_in_place = Collective::exscan(rt.world(), first_words(count, size), exscanned.data(), exscanned.data());
  ASSERT_TRUE(ok(ex_in_place) && ok(ex_in_place->use("chain")) && ok(ex_in_place->run(kPatience)));
  EXPECT_EQ(exscanned, rt.rank() == 0 ? mine : before);
  const Rank previous = rt.rank() == 0 ? 0 : rt.rank() - 1;
  const auto theirs = elements_of(previous, count, size);
  const Words sum = sum_of(rt.rank() + 1, count), sum_before = sum_of(rt.rank(), count);
  const auto is_element = [size](const std::vector<std::byte>& found, const std::vector<std::byte>& rest,
                                 std::uint64_t first, std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, found.data() + i * size, sizeof word);
    return word == first && std::memcmp(found.data() + i * size + 8, rest.data() + i * size + 8, size - 8) == 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(is_element(all, mine, sum[i], i)) << "element " << i << " of " << size << " bytes";
    ASSERT_TRUE(rt.rank() == 0 || is_element(before, theirs, sum_before[i], i)) << "element " << i << " before";
  }
}

// Also those that are no part of a frame, those that are larger than a cell or than a frame, and more than an exscan's letter has.
TEST_P(StepsTest, ScansCombineElementsOfEverySize) {
  run([](Runtime& rt) {
    for (const auto& [count, size] : {std::pair<std::size_t, std::size_t>{1, 8},
                                      {500'000, 8},
                                      {600'000, 8},
                                      {90'001, 24},
                                      {170, 29'000},
                                      {60, 40'000},
                                      {9, 200'000}})
      expect_scan(rt, count, size);
  });
}

// In the middle of a letter, at one member: those behind it hear of it, and later letters arrive.
TEST_P(StepsTest, CombiningMayFailAmidALetter) {
  run([](Runtime& rt) {
    const std::size_t count = kLong / 8;
    const Words mine = words(rt.rank(), count);
    for (const int failing_call : {1, 3, 9}) {
      int calls = 0;
      const Combine fails_later = [&](const void* one, const void* two, void* result, std::size_t n) -> Status {
        if (rt.rank() == 1 && ++calls >= failing_call) return {Code::invalid_argument, "enough by now"};
        for (std::size_t i = 0; i < n; ++i)
          static_cast<std::uint64_t*>(result)[i] =
              static_cast<const std::uint64_t*>(one)[i] + static_cast<const std::uint64_t*>(two)[i];
        return {};
      };
      Words all(count);
      for (const auto make : {&Collective::scan, &Collective::exscan}) {
        calls = 0;
        auto failing = make(rt.world(), {count, 8, fails_later}, mine.data(), all.data());
        ASSERT_TRUE(ok(failing) && ok(failing->use("chain")));
        const Status status = failing->run(kPatience);
        if (rt.rank() == 0)
          EXPECT_TRUE(ok(status));
        else
          EXPECT_TRUE(fails(status, Code::invalid_argument, "enough by now"));
      }
      auto adding = Collective::scan(rt.world(), sum(count), mine.data(), all.data());
      ASSERT_TRUE(ok(adding) && ok(adding->use("chain")) && ok(adding->run(kPatience)));
      ASSERT_EQ(all, sum_of(rt.rank() + 1, count));
    }
  });
}

// Two at a time over lanes of their own, each resumed until it has ended.
TEST_P(StepsTest, CallsGoOnWhereTheyTimedOut) {
  run([](Runtime& rt) {
    for (std::uint64_t round = 0; round < 4; ++round) {
      const auto expected = noise(round, kLong);
      std::vector<std::byte> data(kLong);
      if (rt.rank() == 0) data = expected;
      const std::size_t count = kLong / 8;
      const Words mine = words(rt.rank(), count);
      Words all(count);
      auto call = Collective::broadcast(rt.world(), 0, data.data(), data.size());
      auto scan = Collective::scan(rt.world(), sum(count), mine.data(), all.data());
      ASSERT_TRUE(ok(call) && ok(call->use("chain")) && ok(call->start()));
      ASSERT_TRUE(ok(scan) && ok(scan->use("chain")) && ok(scan->start()));
      for (Collective* each : {&*scan, &*call}) {
        Status status;
        do status = each->wait(Timeout(20us));
        while (status.timed_out());
        ASSERT_TRUE(ok(status));
      }
      ASSERT_EQ(data, expected);
      ASSERT_EQ(all, sum_of(rt.rank() + 1, count));
    }
  });
}

TEST(Steps, NothingIsWrittenOnceACallHasEnded) {
  expect_own_memory_once_a_call_has_ended(4, kLong / 8, [](Runtime& rt, const Words& mine, Words& all) {
    auto scan = Collective::scan(rt.world(), sum(all.size()), mine.data(), all.data());
    auto call = Collective::broadcast(rt.world(), rt.size() - 1, all.data(), 8 * all.size());
    EXPECT_TRUE(ok(scan) && ok(scan->use("chain")) && ok(call) && ok(call->use("chain")));
    return [scan = std::move(scan), call = std::move(call)]() mutable {
      const Status status = scan->run(kPatience);
      return status.ok() ? call->run(kPatience) : status;
    };
  });
}

}  // namespace
}  // namespace polder::test
