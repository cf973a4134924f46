// Scans of short vectors among members that load and store each other's memory.
#include "coll/words.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
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

// Functions x -> factor x + summand, one behind the other: they do not commute.
struct Affine {
  std::uint64_t factor, summand;
  bool operator==(const Affine&) const = default;
};
Affine then(Affine one, Affine two) {
  return {one.factor * two.factor, one.summand * two.factor + two.summand};
}
Status combine(const void* one, const void* two, void* result) {
  Affine a, b;
  std::memcpy(&a, one, sizeof a);
  std::memcpy(&b, two, sizeof b);
  a = then(a, b);
  std::memcpy(result, &a, sizeof a);
  return {};
}
// That of a rank in the `i`th scan; a line that is used again too early has another one.
Affine of(Rank rank, int i) {
  const auto first = 2 * std::size_t(i);
  return {2 * word(rank, first) + 1, word(rank, first + 1)};
}
// Of the ranks below `end`.
Affine all_below(Rank end, int i) {
  Affine all = of(0, i);
  for (Rank rank = 1; rank < end; ++rank) all = then(all, of(rank, i));
  return all;
}
ReductionSpec spec_of(Combine combine) {
  return {.count = 1, .element_size = sizeof(Affine), .combine = std::move(combine), .commutes = false};
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
      const ReductionSpec spec = spec_of([&](const void* one, const void* two, void* result, std::size_t) {
        return is_late && through <= i ? Status(Code::timeout, "late") : combine(one, two, result);
      });
      const Affine mine = of(rt.rank(), i);
      Affine all{}, below{};
      ASSERT_TRUE(ok(scan(rt.world(), spec, &mine, &all, kPatience)));
      if (is_last) through = i + 1;
      ASSERT_TRUE(ok(exscan(rt.world(), spec, &mine, &below, kPatience)));
      ASSERT_EQ(all, all_below(rt.rank() + 1, i));
      if (rt.rank() != 0) {
        ASSERT_EQ(below, all_below(rt.rank(), i));
      }
    }
  });
}

// Members are far ahead of others, in turn, and between scans there are calls that are less far ahead: no line is used again
// before all have taken what they need of it.
TEST_P(NodeScanTest, LinesAreUsedAgainWhenAllHaveLeftThem) {
  run([&](Runtime& rt) {
    const ReductionSpec spec =
        spec_of([](const void* one, const void* two, void* result, std::size_t) { return combine(one, two, result); });
    for (int i = 0; i < 3 * kScans; ++i) {
      if (Rank(i / 100) % rt.size() == rt.rank() && i % 10 == 0) rest(std::chrono::microseconds(200));
      const Affine mine = of(rt.rank(), i);
      Affine result{};
      ASSERT_TRUE(ok(scan(rt.world(), spec, &mine, &result, kPatience)));
      ASSERT_EQ(result, all_below(rt.rank() + 1, i));
      if (i % 7 == 3) {
        const Rank root = Rank(i) % rt.size();
        Affine told = of(root, -1 - i);
        if (rt.rank() != root) told = {};
        ASSERT_TRUE(ok(broadcast(rt.world(), root, &told, sizeof told, kPatience)));
        ASSERT_EQ(told, of(root, -1 - i));
      }
    }
  });
}

// A function that fails at one member, which is far ahead of the last one, as often as it is called: a member that says
// that all is well has the right result, although those between may have made theirs of one that never was.
TEST_P(NodeScanTest, NobodyTakesTheResultOfAFunctionThatFailedForOne) {
  run([&](Runtime& rt) {
    const ReductionSpec spec = spec_of([&](const void* one, const void* two, void* result, std::size_t) {
      return rt.rank() == 1 ? Status(Code::system, "no") : combine(one, two, result);
    });
    for (int i = 0; i < kScans; ++i) {
      if (rt.rank() + 1 == rt.size() && i % 50 == 0) rest(std::chrono::milliseconds(5));
      const Affine mine = of(rt.rank(), i);
      Affine result{};
      const Status status = scan(rt.world(), spec, &mine, &result, kPatience);
      if (rt.rank() == 1) {
        ASSERT_TRUE(fails(status, Code::system));
      }
      if (status.ok()) {
        ASSERT_EQ(result, all_below(rt.rank() + 1, i)) << "scan " << i;
      }
    }
  });
}

}  // namespace
}  // namespace polder::test
