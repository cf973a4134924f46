// The model: for each user and each item a vector; a rating is predicted as the mean and their product.
#pragma once

#include "rating.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mf {

struct Rates {
  double user = 0.02, item = 0.02;  // of learning
  double regularisation = 0.01;     // how strongly vectors are pulled towards 0
};

// Vectors of consecutive users, or of all items.
class Factors {
 public:
  Factors() = default;
  Factors(std::size_t count, unsigned length) : length_(length), values_(count * length) {}

  // Small random numbers, drawn from the ids.
  void draw(std::span<const std::uint64_t> ids, std::uint64_t seed, std::uint64_t what);

  unsigned length() const { return length_; }
  std::span<double> operator[](std::size_t which) { return {values_.data() + which * length_, length_}; }
  std::span<const double> operator[](std::size_t which) const { return {values_.data() + which * length_, length_}; }
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }

 private:
  unsigned length_ = 0;
  std::vector<double> values_;
};

double product(std::span<const double> one, std::span<const double> two);

// Goes once through all cells, in an order drawn from `draw`, by stochastic gradient descent (Koren, Bell and Volinsky,
// Computer 42 (2009)). Cost: 4 products of a vector's length a cell.
void learn(std::span<const Cell> cells, Factors& users, Factors& items, const Rates& rates, std::uint64_t draw);

// Sum of the squares of what predictions are off.
double squared_error(std::span<const Cell> cells, const Factors& users, const Factors& items);

}  // namespace mf
