#include "gradient.hpp"

#include <algorithm>

namespace fmm {

// With R_n^m = r^n P_n^m e^{i m phi} / (n+m)!: d/dz R_n^m = R_{n-1}^m, (d/dx - i d/dy) R_n^m = R_{n-1}^{m-1} and
// (d/dx + i d/dy) R_n^m = -R_{n-1}^{m+1}, where R of an |m| above its degree is 0 and R^{-1} = -conj(R^1).
Gradient::Gradient(unsigned order) : order_(order) {
  for (unsigned n = 1; n <= order; ++n)
    for (unsigned m = 0; m <= n; ++m) differentiate(n, m);
}

void Gradient::differentiate(unsigned n, unsigned m) {
  const double own = schmidt(n, m);
  const auto ratio = [&](unsigned to) { return own / schmidt(n - 1, to); };
  if (m < n) {
    add(2, cos_term(n, m), cos_term(n - 1, m), ratio(m));
    if (m > 0) add(2, sin_term(n, m), sin_term(n - 1, m), ratio(m));
  }
  if (m == 0) {
    if (n < 2) return;
    add(0, cos_term(n, 0), cos_term(n - 1, 1), -ratio(1));
    add(1, cos_term(n, 0), sin_term(n - 1, 1), -ratio(1));
    return;
  }
  if (m + 1 < n) {
    const double factor = ratio(m + 1) / 2;
    add(0, cos_term(n, m), cos_term(n - 1, m + 1), -factor);
    add(0, sin_term(n, m), sin_term(n - 1, m + 1), -factor);
    add(1, cos_term(n, m), sin_term(n - 1, m + 1), -factor);
    add(1, sin_term(n, m), cos_term(n - 1, m + 1), factor);
  }
  const double factor = ratio(m - 1) / 2;
  add(0, cos_term(n, m), cos_term(n - 1, m - 1), factor);
  add(1, sin_term(n, m), cos_term(n - 1, m - 1), factor);
  if (m == 1) return;
  add(0, sin_term(n, m), sin_term(n - 1, m - 1), factor);
  add(1, cos_term(n, m), sin_term(n - 1, m - 1), -factor);
}

void Gradient::add(unsigned axis, std::size_t from, std::size_t to, double factor) {
  parts_.push_back({unsigned(from), unsigned(to), axis, factor});
}

void Gradient::expand(const double* local, double* out) const {
  const std::size_t count = terms(order_);
  std::fill_n(out, 4 * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) out[4 * i] = local[i];
  for (const Part& part : parts_) out[4 * part.to + 1 + part.axis] += part.factor * local[part.from];
}

}  // namespace fmm
