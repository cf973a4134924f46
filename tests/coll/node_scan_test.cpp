// Scans of short vectors among members that load and store each other's memory.
#include "coll/words.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
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

// A member that has shown its vector holds up nobody: those behind it combine it themselves. Here the function of rank 1 gives
// up for as long as the last rank is not through. Functions x -> factor x + summand do not commute.
TEST_P(NodeScanTest, ScansGoOnPastAMemberThatIsLate) {
  struct Affine {
    std::uint64_t factor, summand;
    bool operator==(const Affine&) const = default;
  };
  const auto of = [](Rank rank) { return Affine{2 * word(rank, 0) + 1, word(rank, 1)}; };
  const auto then = [](Affine one, Affine two) {
    return Affine{one.factor * two.factor, one.summand * two.factor + two.summand};
  };
  constexpr int kScans = 200;  // more than there are lines
  std::atomic<int> through{0};
  run([&](Runtime& rt) {
    const bool is_last = rt.rank() + 1 == rt.size(), is_late = rt.rank() == 1;
    for (int i = 0; i < kScans; ++i) {
      const auto combine = [&](const void* one, const void* two, void* result, std::size_t) {
        if (is_late && through <= i) return Status(Code::timeout, "late");
        Affine a, b;
        std::memcpy(&a, one, sizeof a);
        std::memcpy(&b, two, sizeof b);
        a = then(a, b);
        std::memcpy(result, &a, sizeof a);
        return Status();
      };
      const ReductionSpec spec{.count = 1, .element_size = sizeof(Affine), .combine = combine, .commutes = false};
      const Affine mine = of(rt.rank());
      Affine all{}, below{};
      ASSERT_TRUE(ok(scan(rt.world(), spec, &mine, &all, kPatience)));
      if (is_last) through = i + 1;
      ASSERT_TRUE(ok(exscan(rt.world(), spec, &mine, &below, kPatience)));
      Affine expected = of(0), before{};
      for (Rank rank = 1; rank <= rt.rank(); ++rank) before = expected, expected = then(expected, of(rank));
      ASSERT_EQ(all, expected);
      ASSERT_EQ(below, before);
    }
  });
}

}  // namespace
}  // namespace polder::test
