#include "rotation.hpp"

#include <cmath>
#include <cstdlib>

namespace fmm {
namespace {

// The matrix of one degree l, rows and columns -l .. l: sin terms downwards from -1, cos terms upwards from 0.
class Degree {
 public:
  explicit Degree(int l) : l_(l), values_(std::size_t(2 * l + 1) * (2 * l + 1)) {}

  double& at(int row, int column) { return values_[index(row, column)]; }
  double at(int row, int column) const { return values_[index(row, column)]; }

 private:
  std::size_t index(int row, int column) const {
    return std::size_t(row + l_) * (2 * l_ + 1) + std::size_t(column + l_);
  }

  int l_;
  std::vector<double> values_;
};

// Names as in the paper: the matrix of degree l from those of degrees 1 (`r`) and l - 1 (`below`).
class NextDegree {
 public:
  NextDegree(int l, const Degree& r, const Degree& below) : l_(l), r_(r), below_(below) {}

  double element(int m, int k) const {
    const double denominator = std::abs(k) < l_ ? double(l_ + k) * (l_ - k) : 2.0 * l_ * (2.0 * l_ - 1);
    const int a = std::abs(m);
    const bool zero = m == 0;
    double sum = 0;
    if (a < l_) sum += std::sqrt(double(l_ + m) * (l_ - m) / denominator) * p(0, m, k);
    sum += 0.5 * std::sqrt((zero ? 2.0 : 1.0) * (l_ + a - 1) * (l_ + a) / denominator) * (zero ? -1 : 1) * v(m, k);
    if (!zero && a < l_ - 1) sum -= 0.5 * std::sqrt(double(l_ - a - 1) * (l_ - a) / denominator) * w(m, k);
    return sum;
  }

 private:
  double p(int i, int m, int k) const {
    if (k == l_) return r_.at(i, 1) * below_.at(m, l_ - 1) - r_.at(i, -1) * below_.at(m, -l_ + 1);
    if (k == -l_) return r_.at(i, 1) * below_.at(m, -l_ + 1) + r_.at(i, -1) * below_.at(m, l_ - 1);
    return r_.at(i, 0) * below_.at(m, k);
  }
  double v(int m, int k) const {
    if (m == 0) return p(1, 1, k) + p(-1, -1, k);
    if (m == 1) return std::sqrt(2.0) * p(1, 0, k);
    if (m > 1) return p(1, m - 1, k) - p(-1, -m + 1, k);
    if (m == -1) return std::sqrt(2.0) * p(-1, 0, k);
    return p(1, m + 1, k) + p(-1, -m - 1, k);
  }
  double w(int m, int k) const {
    if (m > 0) return p(1, m + 1, k) + p(-1, -m - 1, k);
    return p(1, m - 1, k) - p(-1, -m + 1, k);
  }

  int l_;
  const Degree& r_;
  const Degree& below_;
};

void append(const Degree& degree, int l, std::vector<double>& values) {
  for (int row = 0; row <= l; ++row)
    for (int column = 0; column <= l; ++column) values.push_back(degree.at(row, column));
  for (int row = 1; row <= l; ++row)
    for (int column = 1; column <= l; ++column) values.push_back(degree.at(-row, -column));
}

}  // namespace

PolarRotation::PolarRotation(unsigned order, double cos_b, double sin_b) {
  values.reserve(cos_offset(order + 1));
  values.push_back(1);
  if (order == 0) return;
  // Degree 1 is the rotation itself, in the order y, z, x.
  Degree first(1);
  first.at(-1, -1) = 1;
  first.at(0, 0) = cos_b;
  first.at(0, 1) = sin_b;
  first.at(1, 0) = -sin_b;
  first.at(1, 1) = cos_b;
  append(first, 1, values);
  Degree below = first;
  for (int l = 2; l <= int(order); ++l) {
    Degree degree(l);
    const NextDegree next(l, first, below);
    // Rows and columns of different parity under y -> -y do not mix.
    for (int m = -l; m <= l; ++m)
      for (int k = m < 0 ? -l : 0; k <= (m < 0 ? -1 : l); ++k) degree.at(m, k) = next.element(m, k);
    append(degree, l, values);
    below = degree;
  }
}

}  // namespace fmm
