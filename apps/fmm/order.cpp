#include "order.hpp"

#include "harmonics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace fmm {
namespace {

struct Measured {
  double order;
  double digits;  // -log10 of the error
};

// 60,000 particles in a cube. Above the last order each degree adds as much as before it.
constexpr std::array<Measured, 7> kEqual{
    {{3, 2.39}, {5, 3.74}, {7, 4.67}, {9, 5.54}, {11, 6.30}, {14, 7.30}, {18, 8.39}}};
constexpr std::array<Measured, 7> kMixed{
    {{3, 2.60}, {5, 3.43}, {7, 4.22}, {9, 5.03}, {11, 5.77}, {14, 6.68}, {18, 7.74}}};
constexpr double kDigitsPerDegree = 0.27;

double order_of(std::span<const Measured> table, double digits) {
  if (digits <= table.front().digits) return table.front().order;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const Measured &below = table[i - 1], &above = table[i];
    if (digits > above.digits) continue;
    return below.order + (digits - below.digits) / (above.digits - below.digits) * (above.order - below.order);
  }
  return table.back().order + (digits - table.back().digits) / kDigitsPerDegree;
}

}  // namespace

unsigned order_for(double accuracy, bool mixed_charges) {
  const double digits = -std::log10(accuracy);
  const double order = mixed_charges ? order_of(kMixed, digits) : order_of(kEqual, digits);
  return std::min(kMaxOrder, unsigned(std::ceil(order)));
}

unsigned higher_order(unsigned order, double error, double accuracy) {
  if (!(error > accuracy)) return order;
  const double missing = std::log10(error / accuracy);
  return std::min(kMaxOrder, order + std::max(1u, unsigned(std::ceil(missing / kDigitsPerDegree))));
}

bool single_precision_suffices(double accuracy) {
  return accuracy >= 2e-6;
}

std::size_t leaf_size_for(unsigned order) {
  if (order <= 10) return 64;
  return order <= 16 ? 128 : 256;
}

}  // namespace fmm
