#include "translation.hpp"

#include "rotation.hpp"

#include <cmath>

namespace fmm {
namespace {

template <class T>
void turn_to(const Vector& way, TranslationTable<T>& table) {
  const double rho = std::hypot(way.x, way.y);
  const double length = std::hypot(rho, way.z);
  const double angle = rho > 0 ? std::atan2(way.y, way.x) : 0;
  for (unsigned m = 0; m <= table.order; ++m) table.azimuth.push_back(T(std::cos(m * angle)));
  for (unsigned m = 0; m <= table.order; ++m) table.azimuth.push_back(T(std::sin(m * angle)));
  const PolarRotation polar(table.order, way.z / length, rho / length);
  table.polar.assign(polar.values.begin(), polar.values.end());
}

// sqrt((n-m)! (n+m)! / ((k-m)! (k+m)!)) / (n-k)!: the part of C_n(y + z) that is C_k(y) z^(n-k).
double shift(unsigned n, unsigned k, unsigned m) {
  return std::exp(0.5 * (log_factorial(n - m) + log_factorial(n + m) - log_factorial(k - m) - log_factorial(k + m)) -
                  log_factorial(n - k));
}

double length_of(const Vector& v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// Fills table.axial with element(m, row degree, column degree).
template <class T, class Element>
void fill_axial(TranslationTable<T>& table, const Element& element) {
  for (unsigned m = 0; m <= table.order; ++m)
    for (unsigned n = m; n <= table.order; ++n)
      for (unsigned k = m; k <= table.order; ++k) table.axial.push_back(T(element(m, n, k)));
}

}  // namespace

TranslationTable<double> multipole_to_multipole(unsigned order, const Vector& offset) {
  TranslationTable<double> table{.order = order, .azimuth = {}, .polar = {}, .axial = {}};
  turn_to(offset, table);
  const double z = length_of(offset);
  fill_axial(table, [&](unsigned m, unsigned n, unsigned k) {
    return k > n ? 0 : shift(n, k, m) * std::pow(z, n - k) * std::pow(0.5, k);
  });
  return table;
}

TranslationTable<double> local_to_local(unsigned order, const Vector& offset) {
  TranslationTable<double> table{.order = order, .azimuth = {}, .polar = {}, .axial = {}};
  turn_to(offset, table);
  const double z = length_of(offset);
  fill_axial(table, [&](unsigned m, unsigned n, unsigned k) {
    return k < n ? 0 : shift(k, n, m) * std::pow(z, k - n) * std::pow(0.5, n + 1);
  });
  return table;
}

template <class T>
TranslationTable<T> multipole_to_local(unsigned order, const Vector& way, double source_side, double target_side) {
  TranslationTable<T> table{.order = order, .azimuth = {}, .polar = {}, .axial = {}};
  turn_to(way, table);
  const double d = length_of(way);
  // Powers and factorials together, so that nothing overflows on the way.
  const double target = std::log(target_side / d), source = std::log(source_side / d);
  std::vector<double> factorials(2 * order + 1);
  for (unsigned n = 0; n <= 2 * order; ++n) factorials[n] = log_factorial(n);
  fill_axial(table, [&](unsigned m, unsigned n, unsigned k) {
    const double roots = factorials[n - m] + factorials[n + m] + factorials[k - m] + factorials[k + m];
    const double size = std::exp(factorials[n + k] - 0.5 * roots + (n + 1) * target + k * source);
    return (n + m) % 2 == 0 ? size : -size;
  });
  return table;
}

template TranslationTable<float> multipole_to_local<float>(unsigned, const Vector&, double, double);
template TranslationTable<double> multipole_to_local<double>(unsigned, const Vector&, double, double);

}  // namespace fmm
