#include "harmonics.hpp"

#include <cmath>

namespace fmm {

// std::lgamma writes a global, the sign, and ranks may be threads of one process.
double log_factorial(unsigned n) {
  int sign = 0;
  return ::lgamma_r(n + 1.0, &sign);
}

double schmidt(unsigned n, unsigned m) {
  // By logarithms: (2n)! overflows early, the root of what is left of it later does not matter.
  const double root = std::exp(0.5 * (log_factorial(n - m) + log_factorial(n + m)));
  return m == 0 ? root : root * std::sqrt(2.0);
}

HarmonicRecursion::HarmonicRecursion(unsigned highest)
    : order(highest),
      sectoral(highest + 1),
      vertical((highest + 1) * (highest + 2) / 2),
      radial((highest + 1) * (highest + 2) / 2) {
  for (unsigned m = 1; m <= order; ++m) sectoral[m] = m == 1 ? 1.0 : std::sqrt((2.0 * m - 1) / (2.0 * m));
  for (unsigned n = 1; n <= order; ++n) {
    for (unsigned m = 0; m < n; ++m) {
      const std::size_t i = n * (n + 1) / 2 + m;
      const double below = double(n - m) * (n + m);
      vertical[i] = (2.0 * n - 1) / std::sqrt(below);
      radial[i] = std::sqrt(double(n - 1 - m) * double(n - 1 + m) / below);
    }
  }
}

void harmonics(const HarmonicRecursion& recursion, const double point[3], double* values) {
  const double x = point[0], y = point[1], z = point[2];
  const double r2 = x * x + y * y + z * z;
  values[0] = 1;
  for (unsigned n = 1; n <= recursion.order; ++n) {
    for (unsigned m = 0; m < n; ++m) {
      const std::size_t i = n * (n + 1) / 2 + m;
      const bool second = n >= m + 2;
      const double a = recursion.vertical[i] * z, b = recursion.radial[i] * r2;
      values[cos_term(n, m)] = a * values[cos_term(n - 1, m)] - (second ? b * values[cos_term(n - 2, m)] : 0);
      if (m == 0) continue;
      values[sin_term(n, m)] = a * values[sin_term(n - 1, m)] - (second ? b * values[sin_term(n - 2, m)] : 0);
    }
    const double c = values[cos_term(n - 1, n - 1)];
    const double s = n > 1 ? values[sin_term(n - 1, n - 1)] : 0;
    values[cos_term(n, n)] = recursion.sectoral[n] * (x * c - y * s);
    values[sin_term(n, n)] = recursion.sectoral[n] * (x * s + y * c);
  }
}

}  // namespace fmm
