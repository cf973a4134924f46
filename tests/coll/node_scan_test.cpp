// Scans of short vectors among members that load and store each other's memory.
#include "coll/words.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace polder::test {
namespace {

// Worlds of one node: over letters a member waits for the result of another one.
std::vector<World> worlds_of_a_node() {
  std::vector<World> all = worlds({3, 8});
  std::erase_if(all, [](const World& world) {
    return world.device != SimulatedDevice::direct && world.device != SimulatedDevice::shm;
  });
  return all;
}

class NodeScanTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, NodeScanTest, testing::ValuesIn(worlds_of_a_node()), name_of_param);

// Elements of a vector, of 16 bytes each: its result fits the same line, or has one of its own.
constexpr std::size_t kCounts[] = {1, 2, 3};

// Functions x -> factor x + summand, one behind the other: they do not commute.
struct Affine {
  std::uint64_t factor, summand;
  bool operator==(const Affine&) const = default;
};
Affine then(Affine one, Affine two) {
  return {one.factor * two.factor, one.summand * two.factor + two.summand};
}
Status combine(const void* one, const void* two, void* result, std::size_t count) {
  for (std::size_t at = 0; at < count * sizeof(Affine); at += sizeof(Affine)) {
    Affine a, b;
    std::memcpy(&a, static_cast<const char*>(one) + at, sizeof a);
    std::memcpy(&b, static_cast<const char*>(two) + at, sizeof b);
    a = then(a, b);
    std::memcpy(static_cast<char*>(result) + at, &a, sizeof a);
  }
  return {};
}

using Vector = std::vector<Affine>;
// That of a rank in the `i`th scan; a line that is used again too early has another one.
Vector of(Rank rank, int i, std::size_t count) {
  Vector elements;
  for (std::size_t at = 0; at < count; ++at) {
    const auto first = 2 * (std::size_t(i) * count + at);
    elements.push_back({2 * word(rank, first) + 1, word(rank, first + 1)});
  }
  return elements;
}
// Of the ranks below `end`.
Vector all_below(Rank end, int i, std::size_t count) {
  Vector all = of(0, i, count);
  for (Rank rank = 1; rank < end; ++rank) {
    const Vector next = of(rank, i, count);
    for (std::size_t at = 0; at < count; ++at) all[at] = then(all[at], next[at]);
  }
  return all;
}
ReductionSpec spec_of(std::size_t count, Combine combine) {
  return {.count = count, .element_size = sizeof(Affine), .combine = std::move(combine), .commutes = false};
}

// More than there are lines.
constexpr int kScans = 300;

// A member that has shown its vector holds up nobody: those behind it combine it themselves. Here the function of rank 1 gives
// up for as long as the last rank is not through.
TEST_P(NodeScanTest, GoOnPastAMemberThatIsLate) {
  std::atomic<int> through{0};
  run([&](Runtime& rt) {
    const bool is_last = rt.rank() + 1 == rt.size(), is_late = rt.rank() == 1;
    for (int i = 0; i < kScans; ++i) {
      const std::size_t count = kCounts[i / 20 % std::size(kCounts)];
      const ReductionSpec spec = spec_of(count, [&](const void* one, const void* two, void* result, std::size_t n) {
        return is_late && through <= i ? Status(Code::timeout, "late") : combine(one, two, result, n);
      });
      const Vector mine = of(rt.rank(), i, count);
      Vector all(count), below(count);
      ASSERT_TRUE(ok(scan(rt.world(), spec, mine.data(), all.data(), kPatience)));
      if (is_last) through = i + 1;
      ASSERT_TRUE(ok(exscan(rt.world(), spec, mine.data(), below.data(), kPatience)));
      ASSERT_EQ(all, all_below(rt.rank() + 1, i, count));
      if (rt.rank() != 0) {
        ASSERT_EQ(below, all_below(rt.rank(), i, count));
      }
    }
  });
}

// Members are far ahead of others, in turn, and between scans there are calls that are less far ahead: no line is used again
// before all have taken what they need of it.
TEST_P(NodeScanTest, LinesAreUsedAgainWhenAllHaveLeftThem) {
  run([&](Runtime& rt) {
    for (int i = 0; i < 5 * kScans; ++i) {
      const std::size_t count = kCounts[i / 150 % std::size(kCounts)];
      const ReductionSpec spec = spec_of(count, combine);
      if (Rank(i / 100) % rt.size() == rt.rank() && i % 10 == 0) rest(std::chrono::microseconds(200));
      const Vector mine = of(rt.rank(), i, count);
      Vector result(count);
      ASSERT_TRUE(ok(scan(rt.world(), spec, mine.data(), result.data(), kPatience)));
      ASSERT_EQ(result, all_below(rt.rank() + 1, i, count)) << "scan " << i;
      if (i % 7 == 3) {
        const Rank root = Rank(i) % rt.size();
        const Vector said = of(root, 5 * kScans + i, kCounts[2]);
        Vector told = rt.rank() == root ? said : Vector(kCounts[2]);
        ASSERT_TRUE(ok(broadcast(rt.world(), root, told.data(), told.size() * sizeof(Affine), kPatience)));
        ASSERT_EQ(told, said);
      }
    }
  });
}

// A line held the number of the piece that uses it next, wherever that piece says that its result is there, and its writer waits for
// the first rank: nobody takes what is behind that for its result.
TEST_P(NodeScanTest, WhatALineHeldBeforeIsNoResult) {
  constexpr std::uint64_t kLanes = 4, kLines = 128;
  run([&](Runtime& rt) {
    for (std::uint64_t call = 0; call < 3 * kLanes * kLines; ++call) {
      // Of three calls two are broadcasts, so that a scan has the line that a broadcast had 512 calls before.
      const Rank root = Rank(call / 5) % rt.size();
      std::vector<std::uint64_t> words(6);
      const std::uint64_t next = call / kLanes + 1 + kLines;
      if (call % 3 != 2) {
        if (rt.rank() == root) words.assign(6, next);
        ASSERT_TRUE(ok(broadcast(rt.world(), root, words.data(), 6 * sizeof next, kPatience)));
        ASSERT_EQ(words, std::vector<std::uint64_t>(6, next));
        continue;
      }
      if (rt.rank() == 0 && call >= kLanes * kLines) rest(std::chrono::microseconds(100));
      const Vector mine = of(rt.rank(), int(call), 1);
      Vector result(1);
      ASSERT_TRUE(ok(scan(rt.world(), spec_of(1, combine), mine.data(), result.data(), kPatience)));
      ASSERT_EQ(result, all_below(rt.rank() + 1, int(call), 1)) << "call " << call;
    }
  });
}

// A function that fails at one member, which is far ahead of the last one, as often as it is called: a member that says
// that all is well has the right result, although those between may have made theirs of one that never was.
TEST_P(NodeScanTest, NobodyTakesTheResultOfAFunctionThatFailedForOne) {
  run([&](Runtime& rt) {
    for (int i = 0; i < kScans; ++i) {
      const std::size_t count = kCounts[i / 20 % std::size(kCounts)];
      const ReductionSpec spec = spec_of(count, [&](const void* one, const void* two, void* result, std::size_t n) {
        return rt.rank() == 1 ? Status(Code::system, "no") : combine(one, two, result, n);
      });
      if (rt.rank() + 1 == rt.size() && i % 50 == 0) rest(std::chrono::milliseconds(5));
      const Vector mine = of(rt.rank(), i, count);
      Vector result(count);
      const Status status = scan(rt.world(), spec, mine.data(), result.data(), kPatience);
      if (rt.rank() == 1) {
        ASSERT_TRUE(fails(status, Code::system));
      }
      if (status.ok()) {
        ASSERT_EQ(result, all_below(rt.rank() + 1, i, count)) << "scan " << i;
      }
    }
  });
}

}  // namespace
}  // namespace polder::test
