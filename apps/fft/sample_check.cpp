#include "sample_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace fft {
namespace {

// Smaller sums of squares may have lost what was below the smallest number.
constexpr double kSmallSquares = 1e-280;

// exp(-+ 2 pi i frequency place / extent) for every place.
std::vector<Complex> phases(std::uint64_t extent, std::uint64_t frequency, bool inverse) {
  std::vector<Complex> all(extent);
  const double unit = (inverse ? 2 : -2) * std::numbers::pi / double(extent);
  std::uint64_t turns = 0;  // in units of 1 / extent
  for (std::uint64_t place = 0; place < extent; ++place, turns = (turns + frequency) % extent)
    all[place] = std::polar(1.0, unit * double(turns));
  return all;
}

struct Sum {
  Complex value;
  double norm = 0;  // of all elements of the field: the root of the sum of their squares
};

// Where squares are too large or too small for a number.
double norm_without_squares(const Field& field) {
  const std::uint64_t all = *elements_of(field.extents());
  double norm = 0;
  for (std::uint64_t index = 0; index < all; ++index) {
    const Complex element = field.at(index);
    norm = std::hypot(norm, element.real(), element.imag());
  }
  return norm;
}

Sum sum_at(const Field& field, const Extents& frequency, bool inverse) {
  const auto& n = field.extents();
  const auto x = phases(n[0], frequency[0], inverse), y = phases(n[1], frequency[1], inverse);
  const auto z = phases(n[2], frequency[2], inverse);
  Sum sum;
  double squares = 0;
  std::uint64_t index = 0;
  for (std::uint64_t i = 0; i < n[0]; ++i) {
    Complex plane;
    for (std::uint64_t j = 0; j < n[1]; ++j) {
      Complex line;
      for (std::uint64_t k = 0; k < n[2]; ++k, ++index) {
        const Complex element = field.at(index);
        line += element * z[k];
        squares += std::norm(element);
      }
      plane += line * y[j];
    }
    sum.value += plane * x[i];
  }
  const bool exact = std::isfinite(squares) && squares > kSmallSquares;
  sum.norm = exact ? std::sqrt(squares) : norm_without_squares(field);
  return sum;
}

// Of an error, in units of `scale`. An element that is not finite is as wrong as can be.
double relative(double error, double scale) {
  if (error == 0) return 0;
  return std::isfinite(error) && std::isfinite(scale) && scale > 0 ? error / scale
                                                                   : std::numeric_limits<double>::infinity();
}

}  // namespace

double sampled_error(const Field& field, const Share& share, const Complex* result, bool inverse, std::uint64_t samples,
                     std::uint64_t seed) {
  const std::uint64_t nx = share.extents[0], ny = share.own_result_y(), nz = share.own_z();
  if (nx * ny * nz == 0) return 0;
  std::mt19937_64 random(seed);
  const double all = double(*elements_of(field.extents()));
  double worst = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    const std::uint64_t place = random() % (nx * ny * nz), i = place % nx, j = place / nx % ny, k = place / nx / ny;
    const Extents frequency{i, share.y_of_result.begin(share.row) + j, share.z.begin(share.column) + k};
    const Sum sum = sum_at(field, frequency, inverse);
    const double factor = inverse ? 1 / all : 1;
    const double scale = sum.norm * factor;  // Parseval: the root mean square of the result
    const double error = std::abs(result[share.line_of_result(j, i) + k] - factor * sum.value);
    worst = std::max(worst, relative(error, scale));
  }
  return worst;
}

// The sum by definition rounds more than the transform: its partial sums are up to a line's length long.
double rounding_bound(const Extents& extents) {
  const double terms = double(extents[0]) + double(extents[1]) + double(extents[2]);
  return std::numeric_limits<double>::epsilon() * (16 + 4 * std::sqrt(terms) * std::log2(2 + terms));
}

}  // namespace fft
