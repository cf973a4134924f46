// Eventual operations on elements that are combined in a wider form: halves as floats, sums as if exact.
#include "coll/consistent/half.hpp"
#include "core/ranks.hpp"

#include <polder/eventual.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::test {
namespace {

constexpr std::size_t kHalves = 100;
constexpr std::uint16_t kUntouchedHalf = 0x1234;

class EventualHalvesTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, EventualHalvesTest, testing::ValuesIn(worlds({1, 2, 5})), name_of_param);

float half_value(Rank member, std::size_t i) {
  return float((member + 3 * i) % 17 + 1) * (i % 2 == 0 ? 0.25F : -1.0F);
}
std::vector<std::uint16_t> halves_of(Rank member) {
  std::vector<std::uint16_t> halves(kHalves);
  for (std::size_t i = 0; i < kHalves; ++i) halves[i] = coll::to_bfloat16(half_value(member, i));
  return halves;
}
std::unique_ptr<Eventual> make_for_halves(Runtime& rt, std::size_t wide_bytes = 4) {
  auto made = Eventual::create(rt.world(), {.bytes = kHalves * wide_bytes, .largest = true}, kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}
ReductionSpec halves(Reproducible level = Reproducible::runs) {
  return *reduction(Reduction::sum, HalfType::bfloat16, kHalves, level);
}
// Of the contributors, rounded once.
void expect_rounded_sums(const EventualStatus& status, const std::vector<std::uint16_t>& result) {
  for (std::size_t i = 0; i < kHalves; ++i) {
    float sum = 0;
    for (const Rank member : status.contributors) sum += half_value(member, i);
    ASSERT_EQ(result[i], status.is_final(i) ? coll::to_bfloat16(sum) : kUntouchedHalf) << i;
  }
}

TEST_P(EventualHalvesTest, AreRoundedOnceAndOthersStay) {
  run([](Runtime& rt) {
    auto eventual = make_for_halves(rt);
    const auto mine = halves_of(rt.rank());
    for (const double share : {1.0, 0.25}) {
      std::vector<std::uint16_t> result(kHalves, kUntouchedHalf);
      const auto status = eventual->allreduce(halves(), mine.data(), result.data(), {.data = share}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->elements, std::size_t(kHalves * share));
      expect_rounded_sums(*status, result);
    }
  });
}

TEST_P(EventualHalvesTest, GoOnToMoreAndToTheRoot) {
  run([](Runtime& rt) {
    auto eventual = make_for_halves(rt);
    const auto mine = halves_of(rt.rank());
    const Rank root = rt.size() - 1;
    std::vector<std::uint16_t> result(kHalves, kUntouchedHalf);
    ASSERT_TRUE(ok(eventual->reduce(root, halves(), mine.data(), result.data(), {.data = 0.5}, kPatience)));
    const auto status = eventual->enhance({}, kPatience);
    ASSERT_TRUE(ok(status));
    if (rt.rank() == root) return expect_rounded_sums(*status, result);
    EXPECT_EQ(result, std::vector<std::uint16_t>(kHalves, kUntouchedHalf));
  });
}

TEST_P(EventualHalvesTest, OfABroadcastAreWhatTheyWere) {
  run([](Runtime& rt) {
    auto eventual = make_for_halves(rt);
    const auto sent = halves_of(0);
    std::vector<std::uint16_t> data = rt.rank() == 0 ? sent : std::vector<std::uint16_t>(kHalves, kUntouchedHalf);
    const auto status = eventual->broadcast(0, halves(), data.data(), {.data = 0.3}, kPatience);
    ASSERT_TRUE(ok(status));
    for (std::size_t i = 0; i < kHalves; ++i)
      EXPECT_EQ(data[i], rt.rank() == 0 || i < 30 ? sent[i] : kUntouchedHalf) << i;
  });
}

TEST_P(EventualHalvesTest, TheLargestAreFound) {
  run([](Runtime& rt) {
    auto eventual = make_for_halves(rt);
    std::vector<std::uint16_t> mine(kHalves, coll::to_bfloat16(0.5F)), result(kHalves, kUntouchedHalf);
    mine[40] = coll::to_bfloat16(-3.0F);
    const Threshold largest{.data = 0.01, .choose = Choose::largest};
    const auto status = eventual->allreduce(halves(), mine.data(), result.data(), largest, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(result[40], coll::to_bfloat16(-3.0F * float(rt.size())));
    EXPECT_EQ(std::ranges::count(result, kUntouchedHalf), std::ptrdiff_t(kHalves - 1));
  });
}

TEST_P(EventualHalvesTest, ExactSumsOfAllAndNoRoomForThem) {
  run([](Runtime& rt) {
    const auto mine = halves_of(rt.rank());
    std::vector<std::uint16_t> result(kHalves, kUntouchedHalf);
    auto eventual = make_for_halves(rt, 48);
    const auto status = eventual->allreduce(halves(Reproducible::exact), mine.data(), result.data(), {}, kPatience);
    ASSERT_TRUE(ok(status));
    expect_rounded_sums(*status, result);
    auto small = make_for_halves(rt);
    EXPECT_TRUE(fails(small->allreduce(halves(Reproducible::exact), mine.data(), result.data(), {}, kPatience),
                      Code::invalid_size, "EventualSpec::bytes"));
  });
}

}  // namespace
}  // namespace polder::test
