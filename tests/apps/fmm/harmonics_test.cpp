// The functions that expansions are made of, how they turn, and what their derivatives are.
#include "harmonics.hpp"

#include "gradient.hpp"
#include "rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fmm {
namespace {

std::vector<double> terms_at(unsigned order, double x, double y, double z) {
  const HarmonicRecursion recursion(order);
  std::vector<double> values(terms(order));
  const double point[3] = {x, y, z};
  harmonics(recursion, point, values.data());
  return values;
}

TEST(Harmonics, LowDegreesAreTheKnownPolynomials) {
  const double x = 0.3, y = -0.7, z = 0.4;
  const std::vector<double> c = terms_at(2, x, y, z);
  EXPECT_NEAR(c[0], 1, 1e-15);
  EXPECT_NEAR(c[cos_term(1, 0)], z, 1e-15);
  EXPECT_NEAR(c[cos_term(1, 1)], x, 1e-15);
  EXPECT_NEAR(c[sin_term(1, 1)], y, 1e-15);
  EXPECT_NEAR(c[cos_term(2, 0)], (2 * z * z - x * x - y * y) / 2, 1e-15);
  EXPECT_NEAR(c[cos_term(2, 1)], std::sqrt(3.0) * x * z, 1e-15);
  EXPECT_NEAR(c[sin_term(2, 2)], std::sqrt(3.0) * x * y, 1e-15);
}

// 1 / |x - y| = sum_n |x|^-(2n+1) sum_i C_ni(x) C_ni(y), and the rest after degree p is at most (|y| / |x|)^(p+1) /
// (|x| - |y|).
TEST(Harmonics, AdditionTheorem) {
  const std::vector<double> far = terms_at(kMaxOrder, 1.1, -0.9, 0.8), close = terms_at(kMaxOrder, 0.2, 0.5, -0.3);
  const double x = std::sqrt(1.1 * 1.1 + 0.9 * 0.9 + 0.8 * 0.8), y = std::sqrt(0.2 * 0.2 + 0.5 * 0.5 + 0.3 * 0.3);
  const double exact = 1 / std::sqrt(0.9 * 0.9 + 1.4 * 1.4 + 1.1 * 1.1);
  double sum = 0;
  for (unsigned n = 0; n <= kMaxOrder; ++n) {
    double degree = 0;
    for (std::size_t i = terms(n) - (2 * n + 1); i < terms(n); ++i) degree += far[i] * close[i];
    sum += degree / std::pow(x, 2.0 * n + 1);
    EXPECT_LE(std::abs(sum - exact), std::pow(y / x, n + 1) / (x - y) + 1e-15) << "degree " << n;
  }
}

TEST(Harmonics, TermsOfADegreeHaveTheSizeOfTheRadius) {
  const std::vector<double> c = terms_at(20, 0.6, 0.48, 0.64);  // on the unit sphere
  for (unsigned n = 0; n <= 20; ++n) {
    double squares = 0;
    for (std::size_t i = terms(n) - (2 * n + 1); i < terms(n); ++i) squares += c[i] * c[i];
    EXPECT_NEAR(squares, 1, 1e-13) << "degree " << n;
  }
}

TEST(PolarRotationTest, TurnsTheTermsAsSpaceTurns) {
  for (const double b : {0.0, 0.3, 1.5707963267948966, 2.9}) {
    const double c = std::cos(b), s = std::sin(b);
    const PolarRotation rotation(kMaxOrder, c, s);
    ASSERT_EQ(rotation.values.size(), PolarRotation::cos_offset(kMaxOrder + 1));
    const double x = 0.5, y = -0.4, z = 0.6;
    const std::vector<double> before = terms_at(kMaxOrder, x, y, z);
    const std::vector<double> after = terms_at(kMaxOrder, c * x - s * z, y, s * x + c * z);
    for (unsigned n = 0; n <= kMaxOrder; ++n) {
      for (unsigned m = 0; m <= n; ++m) {
        double turned = 0;
        for (unsigned k = 0; k <= n; ++k) turned += rotation.cos_block(n)[m * (n + 1) + k] * before[cos_term(n, k)];
        EXPECT_NEAR(turned, after[cos_term(n, m)], 1e-13);
      }
      for (unsigned m = 1; m <= n; ++m) {
        double turned = 0;
        for (unsigned k = 1; k <= n; ++k) turned += rotation.sin_block(n)[(m - 1) * n + k - 1] * before[sin_term(n, k)];
        EXPECT_NEAR(turned, after[sin_term(n, m)], 1e-13);
      }
    }
  }
}

TEST(GradientTest, AgreesWithDifferences) {
  constexpr unsigned kOrder = 9;
  std::vector<double> local(terms(kOrder));
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = std::cos(double(i));
  std::vector<double> all(4 * terms(kOrder));
  Gradient(kOrder).expand(local.data(), all.data());
  const auto value = [&](unsigned column, double x, double y, double z) {
    const std::vector<double> c = terms_at(kOrder, x, y, z);
    double sum = 0;
    for (std::size_t i = 0; i < c.size(); ++i) sum += all[4 * i + column] * c[i];
    return sum;
  };
  constexpr double kStep = 1e-5, x = 0.31, y = -0.42, z = 0.27;
  EXPECT_NEAR(value(1, x, y, z), (value(0, x + kStep, y, z) - value(0, x - kStep, y, z)) / (2 * kStep), 1e-8);
  EXPECT_NEAR(value(2, x, y, z), (value(0, x, y + kStep, z) - value(0, x, y - kStep, z)) / (2 * kStep), 1e-8);
  EXPECT_NEAR(value(3, x, y, z), (value(0, x, y, z + kStep) - value(0, x, y, z - kStep)) / (2 * kStep), 1e-8);
}

}  // namespace
}  // namespace fmm
