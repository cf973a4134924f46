// How far the bits of results reach: by the tree of members in any layout and by any algorithm, and as if exact, whoever
// holds which numbers.
#include "coll/consistent/half.hpp"
#include "core/ranks.hpp"
#include "util/random.hpp"

#include <polder/collective.hpp>
#include <polder/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace polder::test {
namespace {

// ---- sums by themselves ----

// Any bits that are a number, so of all magnitudes.
double wild(util::Random& random) {
  while (true) {
    const double value = std::bit_cast<double>(util::mix(random.below(~std::uint64_t{0})));
    if (std::isfinite(value)) return value;
  }
}

double exact(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double number : numbers) sum.add(number);
  return sum.number();
}

TEST(ExactSums, DoNotDependOnOrderNorOnWhoAddsWhat) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    util::Random random(seed);
    std::vector<double> numbers(1 + random.below(200));
    // Of all magnitudes, or of some that are near each other.
    for (double& number : numbers)
      number = seed % 2 == 0 ? wild(random) : std::ldexp(wild(random) > 0 ? 1.1 : -1.3, int(random.below(130)));
    const std::uint64_t expected = std::bit_cast<std::uint64_t>(exact(numbers));
    for (std::size_t parts = 1; parts <= 37; ++parts) {
      for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
      std::vector<ExactSum> sums(parts);
      for (const double number : numbers) sums[random.below(parts)].add(number);
      ExactSum all;
      for (const ExactSum& sum : sums) all.add(sum);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(all.number()), expected) << "seed " << seed << " parts " << parts;
    }
  }
}

TEST(ExactSums, AreRoundedOnce) {
  __extension__ using Wide = __int128;
  util::Random random(7);
  for (int round = 0; round < 2'000; ++round) {
    Wide whole = 0;
    ExactSum sum;
    for (std::uint64_t n = random.below(40); n-- > 0;) {
      const auto digits = std::int64_t(random.below(std::uint64_t{1} << 53)) - (std::int64_t{1} << 52);
      const int shift = int(random.below(60));
      whole += Wide(digits) << shift;
      sum.add(std::ldexp(double(digits), shift - 700));
    }
    ASSERT_EQ(sum.number(), std::ldexp(double(whole), -700));
    ASSERT_EQ(sum.single(), 0);
  }
  ExactSum tie;
  for (const double number : {1.0, 0x1p-53, 0x1p-116}) tie.add(number);
  EXPECT_EQ(tie.number(), 1 + 0x1p-52);
  EXPECT_EQ(tie.single(), 1.0F);
}

TEST(ExactSums, OfTheEndsOfTheNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max(), kLeast = std::numeric_limits<double>::denorm_min();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact({}), 0);
  EXPECT_EQ(exact({-0.0, -0.0}), 0);
  EXPECT_EQ(exact({kMost, kMost, -kMost}), kMost);
  EXPECT_EQ(exact({kMost, kMost}), kInfinity);
  EXPECT_EQ(exact({-kMost, -kMost}), -kInfinity);
  EXPECT_EQ(exact({kLeast, kLeast, kLeast}), 3 * kLeast);
  EXPECT_EQ(exact({1e20, 1, -1e20}), 1);
  EXPECT_EQ(exact({kInfinity, 1}), kInfinity);
  EXPECT_EQ(exact({-kInfinity, kMost}), -kInfinity);
  EXPECT_TRUE(std::isnan(exact({kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(exact({std::nan(""), 1})));
}

// ---- between members ----

class ReproducibleTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ReproducibleTest, testing::ValuesIn(worlds({1, 3, 7})), name_of_param);

constexpr std::size_t kCounts[] = {3, 5'000};
constexpr const char* kReducers[] = {"board",   "late_tree",      "claimed_slices", "two_level", "whole",
                                     "slices",  "doubling",       "circulant",      "ring",      "reduce_broadcast",
                                     "ordered", "scatter_gather", "shared"};

double value_of(Rank member, std::size_t i) {
  util::Random random(util::mix(member * 1'000'003 + i));
  return std::ldexp(double(random.below(1'000'000)) - 500'000, int(random.below(40)) - 20);
}
std::vector<double> vector_of(Rank member, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of(member, i);
  return values;
}

// ((0 1) (2 3)) ((4 5) (6 7)): what members from `first` on make together, of those that there are of `span`.
double tree_sum(std::size_t i, Rank first, Rank span, Rank members) {
  if (span == 1) return value_of(first, i);
  const double left = tree_sum(i, first, span / 2, members);
  return first + span / 2 < members ? left + tree_sum(i, first + span / 2, span / 2, members) : left;
}

ReductionSpec doubles_at(Reproducible level, std::size_t count) {
  const auto spec = reduction(Reduction::sum, DataType::float64, count, level);
  EXPECT_TRUE(ok(spec));
  return *spec;
}

// By the table and by each algorithm that serves the call, with reduce, allreduce and reduce_scatter.
template <class Expected>
void expect_by_any_algorithm(Runtime& rt, Reproducible level, Expected&& expected) {
  for (const std::size_t count : kCounts) {
    const std::vector<double> mine = vector_of(rt.rank(), count);
    std::vector<double> all(count), wanted(count);
    for (std::size_t i = 0; i < count; ++i) wanted[i] = expected(i);
    const Rank root = rt.size() - 1;
    std::vector<std::size_t> counts(rt.size(), count / rt.size());
    counts.back() += count % rt.size();
    const ReductionSpec spec = doubles_at(level, count);
    const auto check = [&](Result<Collective> made, std::size_t begin, std::size_t many) {
      ASSERT_TRUE(ok(made));
      int served = 0;
      for (const char* algorithm : kReducers) {
        if (!made->use(algorithm).ok()) continue;
        ++served;
        std::ranges::fill(all, -1);
        ASSERT_TRUE(ok(made->run(kPatience))) << algorithm;
        for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(all[i], wanted[begin + i]) << algorithm << " at " << i;
      }
      EXPECT_GE(served, 1);
    };
    check(Collective::allreduce(rt.world(), spec, mine.data(), all.data()), 0, count);
    check(Collective::reduce(rt.world(), root, spec, mine.data(), all.data()), 0, rt.rank() == root ? count : 0);
    check(Collective::reduce_scatter(rt.world(), spec, counts, mine.data(), all.data()),
          rt.rank() * (count / rt.size()), counts[rt.rank()]);
    // What the table chooses, and the object that goes over boards.
    ASSERT_TRUE(ok(allreduce(rt.world(), spec, mine.data(), all.data(), kPatience)));
    EXPECT_EQ(all, wanted);
    std::ranges::fill(all, -1);
    ASSERT_TRUE(ok(Allreduce(rt.world(), spec, mine.data(), all.data()).run(kPatience)));
    EXPECT_EQ(all, wanted);
  }
}

TEST_P(ReproducibleTest, TheTreeOfMembersInAnyLayoutByAnyAlgorithm) {
  run([](Runtime& rt) {
    expect_by_any_algorithm(rt, Reproducible::layout, [&](std::size_t i) { return tree_sum(i, 0, 8, rt.size()); });
    auto made = Collective::allreduce(rt.world(), doubles_at(Reproducible::layout, 9), nullptr, nullptr);
    EXPECT_FALSE(made.ok());
    std::vector<double> sum(9);
    made = Collective::allreduce(rt.world(), doubles_at(Reproducible::layout, 9), sum.data(), sum.data());
    ASSERT_TRUE(ok(made));
    EXPECT_TRUE(fails(made->use("ring"), Code::invalid_argument, "cannot serve"));
  });
}

TEST_P(ReproducibleTest, ExactByAnyAlgorithm) {
  run([](Runtime& rt) {
    expect_by_any_algorithm(rt, Reproducible::exact, [&](std::size_t i) {
      ExactSum sum;
      for (Rank member = rt.size(); member-- > 0;) sum.add(value_of(member, i));
      return sum.number();
    });
  });
}

// The same 37 vectors, dealt to any number of members.
TEST_P(ReproducibleTest, ExactSumsAreTheSameForAnyNumberOfMembers) {
  run([](Runtime& rt) {
    constexpr Rank kVectors = 37;
    constexpr std::size_t kCount = 50;
    std::vector<ExactSum> mine(kCount), all(kCount), expected(kCount);
    for (Rank vector = 0; vector < kVectors; ++vector)
      for (std::size_t i = 0; i < kCount; ++i) {
        expected[i].add(value_of(vector, i));
        if (vector % rt.size() == rt.rank()) mine[i].add(value_of(vector, i));
      }
    ASSERT_TRUE(ok(allreduce(rt.world(), exact_sums(kCount), mine.data(), all.data(), kPatience)));
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(all[i].number(), expected[i].number());
  });
}

TEST_P(ReproducibleTest, ExactOfHalvesSinglesAndComplexNumbers) {
  run([](Runtime& rt) {
    ExactSum sum;
    double exactly = 0;  // of halves below 1024 and of steps of 2^-10, which is exact
    const auto half_of = [](Rank member) { return coll::to_float16(float(member * 37 + 1) / 1024.0F * 31.0F); };
    for (Rank member = 0; member < rt.size(); ++member) exactly += double(coll::from_float16(half_of(member)));
    const std::uint16_t half = half_of(rt.rank());
    std::uint16_t halves = 0;
    ASSERT_TRUE(ok(allreduce(rt.world(), *reduction(Reduction::sum, HalfType::float16, 1, Reproducible::exact), &half,
                             &halves, kPatience)));
    const auto off = [&](std::uint16_t bits) { return std::fabs(double(coll::from_float16(bits)) - exactly); };
    EXPECT_LE(off(halves), off(std::uint16_t(halves + 1)));
    EXPECT_LE(off(halves), off(std::uint16_t(halves - 1)));
    ASSERT_TRUE(
        ok(Allreduce(rt.world(), *reduction(Reduction::sum, HalfType::float16, 1), &half, &halves).run(kPatience)));
    EXPECT_LE(off(halves), off(std::uint16_t(halves + 1)));

    const std::complex<float> mine(float(value_of(rt.rank(), 1)), float(value_of(rt.rank(), 2)));
    std::complex<float> all;
    ASSERT_TRUE(ok(allreduce(rt.world(), *reduction(Reduction::sum, DataType::complex64, 1, Reproducible::exact), &mine,
                             &all, kPatience)));
    for (Rank member = 0; member < rt.size(); ++member) sum.add(double(float(value_of(member, 2))));
    EXPECT_EQ(all.imag(), sum.single());

    const std::int64_t one = rt.rank() + 1;
    std::int64_t integers = 0;
    ASSERT_TRUE(ok(allreduce(rt.world(), *reduction(Reduction::sum, DataType::int64, 1, Reproducible::exact), &one,
                             &integers, kPatience)));
    EXPECT_EQ(integers, std::int64_t(rt.size()) * (rt.size() + 1) / 2);
    EXPECT_TRUE(fails(reduction(Reduction::product, DataType::float64, 1, Reproducible::exact), Code::invalid_argument,
                      "product of float64 has no exact form"));
  });
}

TEST(ReproducibleCalls, AnotherLevelIsNamed) {
  run_ranks(3, World{}.options(), [](Runtime& rt) {
    double mine = 1, all = 0;
    const auto level = rt.rank() == 1 ? Reproducible::exact : Reproducible::runs;
    const Status status = allreduce(rt.world(), doubles_at(level, 1), &mine, &all, kPatience);
    EXPECT_TRUE(fails(status, Code::invalid_argument, "exact float64"));
  });
}

}  // namespace
}  // namespace polder::test
