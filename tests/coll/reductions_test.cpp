// What is reduced: every type and operation, halves that are rounded once, truth, and values with their places.
#include "coll/consistent/half.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace polder::test {
namespace {

class ReductionsTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ReductionsTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

template <class T>
void expect_all_operations(Runtime& rt, DataType type) {
  const auto ranks = rt.size();
  for (const std::size_t count : {1, 9, 20'000}) {
    std::vector<T> mine(count), result(count);
    for (std::size_t i = 0; i < count; ++i) mine[i] = T((rt.rank() + i) % 3 + 1);
    const auto reduced = [&](Reduction op) -> const std::vector<T>& {
      const auto spec = reduction(op, type, count);
      EXPECT_TRUE(ok(spec));
      EXPECT_TRUE(ok(allreduce(rt.world(), *spec, mine.data(), result.data(), kPatience)));
      return result;
    };
    const auto expect = [&](Reduction op, auto&& combine) {
      const std::vector<T>& all = reduced(op);
      for (std::size_t i = 0; i < count; ++i) {
        T value = T(i % 3 + 1);
        for (Rank rank = 1; rank < ranks; ++rank) value = combine(value, T((rank + i) % 3 + 1));
        ASSERT_EQ(all[i], value) << to_string(op) << " of " << to_string(type) << " at " << i;
      }
    };
    expect(Reduction::sum, [](T a, T b) { return T(a + b); });
    expect(Reduction::product, [](T a, T b) { return T(a * b); });
    if constexpr (std::is_arithmetic_v<T>) {
      expect(Reduction::min, [](T a, T b) { return a < b ? a : b; });
      expect(Reduction::max, [](T a, T b) { return a < b ? b : a; });
    }
    if constexpr (std::is_integral_v<T>) {
      expect(Reduction::bit_and, [](T a, T b) { return T(a & b); });
      expect(Reduction::bit_or, [](T a, T b) { return T(a | b); });
      expect(Reduction::bit_xor, [](T a, T b) { return T(a ^ b); });
    }
  }
}

TEST_P(ReductionsTest, EveryTypeAndOperation) {
  run([](Runtime& rt) {
    expect_all_operations<std::int8_t>(rt, DataType::int8);
    expect_all_operations<std::int16_t>(rt, DataType::int16);
    expect_all_operations<std::int32_t>(rt, DataType::int32);
    expect_all_operations<std::int64_t>(rt, DataType::int64);
    expect_all_operations<std::uint8_t>(rt, DataType::uint8);
    expect_all_operations<std::uint16_t>(rt, DataType::uint16);
    expect_all_operations<std::uint32_t>(rt, DataType::uint32);
    expect_all_operations<std::uint64_t>(rt, DataType::uint64);
    expect_all_operations<float>(rt, DataType::float32);
    expect_all_operations<double>(rt, DataType::float64);
    expect_all_operations<std::complex<float>>(rt, DataType::complex64);
    expect_all_operations<std::complex<double>>(rt, DataType::complex128);
  });
}

// 1 and many values of half a last place of it: rounded at each step they would be lost.
TEST_P(ReductionsTest, HalvesAreRoundedOnce) {
  run([](Runtime& rt) {
    const struct {
      HalfType type;
      std::uint16_t (*narrow)(float);
      float half_place;
    } kinds[] = {{HalfType::float16, coll::to_float16, 0x1p-11f}, {HalfType::bfloat16, coll::to_bfloat16, 0x1p-8f}};
    for (const auto& kind : kinds)
      for (const std::size_t count : {1, 50'000}) {
        const float mine = rt.rank() == 0 ? 1.0f : kind.half_place;
        const std::vector<std::uint16_t> send(count, kind.narrow(mine));
        std::vector<std::uint16_t> all(count), scanned(count), before(count, 7);
        const auto spec = reduction(Reduction::sum, kind.type, count);
        ASSERT_TRUE(ok(spec));
        ASSERT_TRUE(ok(allreduce(rt.world(), *spec, send.data(), all.data(), kPatience)));
        const auto sum_of = [&](Rank ranks) { return ranks == 0 ? 0.0f : 1.0f + float(ranks - 1) * kind.half_place; };
        EXPECT_EQ(all[count - 1], kind.narrow(sum_of(rt.size())));
        ASSERT_TRUE(ok(scan(rt.world(), *spec, send.data(), scanned.data(), kPatience)));
        EXPECT_EQ(scanned[0], kind.narrow(sum_of(rt.rank() + 1)));
        ASSERT_TRUE(ok(exscan(rt.world(), *spec, send.data(), before.data(), kPatience)));
        EXPECT_EQ(before[0], rt.rank() == 0 ? 7 : kind.narrow(sum_of(rt.rank())));
        before.assign(count, 7);
        ASSERT_TRUE(ok(reduce(rt.world(), 1, *spec, send.data(), before.data(), kPatience)));
        EXPECT_EQ(before[0], rt.rank() == 1 ? kind.narrow(sum_of(rt.size())) : 7);
      }
  });
}

TEST(Halves, EveryNumberComesBackAndOthersGoToTheNearest) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = std::uint16_t(bits);
    const float ieee = coll::from_float16(half), brain = coll::from_bfloat16(half);
    if (!std::isnan(ieee)) {
      ASSERT_EQ(coll::to_float16(ieee), half);
    }
    if (!std::isnan(brain)) {
      ASSERT_EQ(coll::to_bfloat16(brain), half);
    }
    // Between a number and the next one further out: the nearer one, and the even one of two.
    if ((bits & 0x7fff) < 0x7bff) {
      const float next = coll::from_float16(std::uint16_t(bits + 1)), middle = (ieee + next) / 2;
      ASSERT_EQ(coll::to_float16(middle), std::uint16_t(bits % 2 == 0 ? bits : bits + 1));
      ASSERT_EQ(coll::to_float16(std::nextafter(middle, ieee)), half);
      ASSERT_EQ(coll::to_float16(std::nextafter(middle, next)), std::uint16_t(bits + 1));
    }
  }
  EXPECT_EQ(coll::to_float16(65520.0f), 0x7c00);
  EXPECT_TRUE(std::isnan(coll::from_float16(coll::to_float16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(coll::from_bfloat16(coll::to_bfloat16(std::bit_cast<float>(0x7f800001u)))));
}

TEST_P(ReductionsTest, Truth) {
  run([](Runtime& rt) {
    // True everywhere, nowhere, at one member, at all but one.
    const Rank me = rt.rank();
    const std::vector<double> mine{0.5, 0, me == 1 ? -2.0 : 0, me == 1 ? 0 : 3.0};
    std::vector<double> all(4);
    const auto reduced = [&](Logical op) {
      EXPECT_TRUE(ok(allreduce(rt.world(), *reduction(op, DataType::float64, 4), mine.data(), all.data(), kPatience)));
      return all;
    };
    EXPECT_EQ(reduced(Logical::all), (std::vector<double>{1, 0, 0, 0}));
    EXPECT_EQ(reduced(Logical::any), (std::vector<double>{1, 0, 1, rt.size() > 1 ? 1.0 : 0.0}));
    EXPECT_EQ(reduced(Logical::odd), (std::vector<double>{double(rt.size() % 2), 0, 1, double((rt.size() - 1) % 2)}));
    // What is combined with nothing is 0 or 1, too.
    ASSERT_TRUE(
        ok(scan(rt.world(), *reduction(Logical::any, DataType::float64, 4), mine.data(), all.data(), kPatience)));
    if (me == 0) {
      EXPECT_EQ(all, (std::vector<double>{1, 0, 0, 1}));
    }
    ASSERT_TRUE(
        ok(exscan(rt.world(), *reduction(Logical::any, DataType::float64, 4), mine.data(), all.data(), kPatience)));
    if (me == 1) {
      EXPECT_EQ(all, (std::vector<double>{1, 0, 0, 1}));
    }
  });
}

TEST_P(ReductionsTest, LeastAndLargestWithTheirPlaces) {
  run([](Runtime& rt) {
    for (const std::size_t count : {1, 6000}) {
      std::vector<Placed<std::int32_t>> mine(count), result(count);
      // In the first element all are equal; in the others one is the largest, and two the least.
      for (std::size_t i = 0; i < count; ++i)
        mine[i] = {i == 0 ? 5 : std::int32_t((rt.rank() + i) % rt.size()), std::int64_t(rt.rank()) + 100};
      const auto reduced = [&](Reduction op) {
        const auto spec = placed_reduction(op, DataType::int32, count);
        EXPECT_TRUE(ok(allreduce(rt.world(), *spec, mine.data(), result.data(), kPatience)));
      };
      reduced(Reduction::max);
      EXPECT_EQ(result[0].value, 5);
      EXPECT_EQ(result[0].place, 100);
      for (std::size_t i = 1; i < count; ++i) {
        const Rank largest = Rank((2 * rt.size() - 1 - i % rt.size()) % rt.size());
        ASSERT_EQ(result[i].value, std::int32_t(rt.size() - 1));
        ASSERT_EQ(result[i].place, std::int64_t(largest) + 100) << i;
      }
      reduced(Reduction::min);
      for (std::size_t i = 1; i < count; ++i)
        ASSERT_EQ(result[i].place, std::int64_t((rt.size() - i % rt.size()) % rt.size()) + 100) << i;
    }
  });
}

TEST(Reductions, OfTypesWithoutTheOperationAreRefused) {
  EXPECT_TRUE(fails(reduction(Reduction::bit_and, DataType::float64, 1), Code::invalid_argument, "bit_and of float64"));
  EXPECT_TRUE(fails(reduction(Reduction::max, DataType::complex64, 1), Code::invalid_argument, "max of complex64"));
  EXPECT_TRUE(fails(reduction(Reduction::axpy, DataType::float64, 1), Code::invalid_argument));
  EXPECT_TRUE(fails(reduction(Reduction::bit_or, HalfType::float16, 1), Code::invalid_argument, "16 bits"));
  EXPECT_TRUE(fails(reduction(Logical::all, DataType::complex128, 1), Code::invalid_argument, "complex128"));
  EXPECT_TRUE(fails(placed_reduction(Reduction::sum, DataType::int32, 1), Code::invalid_argument));
  EXPECT_TRUE(fails(placed_reduction(Reduction::min, DataType::complex64, 1), Code::invalid_argument));
  EXPECT_TRUE(fails(reduction(Logical(9), DataType::int32, 1), Code::invalid_argument));
}

}  // namespace
}  // namespace polder::test
