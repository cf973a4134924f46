// One piece a unit, each of its own length: given (as the rows of a matrix in CSR form are), or by the units' speeds.
#pragma once

#include <polder/containers/distribution.hpp>
#include <polder/containers/failure.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace polder::containers {

class Irregular {
 public:
  static constexpr std::size_t kDimensions = 1;
  static constexpr Properties kProperties{
      .canonical = true, .tiled = true, .dense = true, .minimal = true, .neighbour = true};

  // `sizes`: elements of each unit, the same at all units. Throws Failure: there are none, or more than 64 bits count.
  explicit Irregular(std::span<const std::size_t> sizes) : starts_{0} {
    if (sizes.empty()) throw_failure(Code::invalid_argument, "an irregular distribution: no units");
    for (const std::size_t size : sizes) {
      starts_.push_back(starts_.back() + size);
      if (starts_.back() < size)
        throw_failure(Code::invalid_size, "an irregular distribution: more elements than 64 bits count");
    }
  }

  // Elements in proportion to weights (measured speeds, for one), to the next whole number; the sum is `extent`. Throws
  // Failure: a weight that is negative or no number, or all are 0.
  static Irregular weighted(std::size_t extent, std::span<const double> weights) {
    double largest = 0;
    for (std::size_t unit = 0; unit < weights.size(); ++unit) {
      if (!(weights[unit] >= 0) || std::isinf(weights[unit]))
        throw_failure(Code::invalid_argument, "a weighted distribution: the weight of unit " + std::to_string(unit) +
                                                  " is " + std::to_string(weights[unit]));
      largest = std::max(largest, weights[unit]);
    }
    if (!(largest > 0)) throw_failure(Code::invalid_argument, "a weighted distribution: all weights are 0");
    // By a power of two, which rounds nothing that counts, so that no sum is larger than a number can be.
    const auto scaled = [exponent = -std::ilogb(largest)](double weight) { return std::ldexp(weight, exponent); };
    double all = 0;
    for (const double weight : weights) all += scaled(weight);
    std::vector<std::size_t> sizes;
    double sum = 0;
    for (std::size_t before = 0; const double weight : weights) {
      sum += scaled(weight);
      const bool last = sizes.size() + 1 == weights.size();
      const std::size_t end = last ? extent : std::min(extent, std::size_t(std::llround(double(extent) * (sum / all))));
      sizes.push_back(end - before);
      before = end;
    }
    return Irregular(sizes);
  }

  std::size_t units() const { return starts_.size() - 1; }
  Index<1> extents() const { return {starts_.back()}; }
  Index<1> extents(Rank unit) const { return {starts_[unit + 1] - starts_[unit]}; }
  std::size_t capacity(Rank unit) const { return extents(unit)[0]; }
  // O(log units).
  Rank unit_of(const Index<1>& index) const {
    return Rank(std::upper_bound(starts_.begin(), starts_.end(), index[0]) - starts_.begin() - 1);
  }
  std::size_t local_index(const Index<1>& index) const { return index[0] - starts_[unit_of(index)]; }
  std::size_t block_count(Rank unit) const { return capacity(unit) != 0 ? 1 : 0; }
  OwnedBlock<1> block(Rank unit, std::size_t) const { return {{{starts_[unit]}, extents(unit)}, 0, {1}}; }
  BlockRange<Irregular> blocks(Rank unit) const { return {*this, unit}; }
  Properties properties() const { return kProperties; }
  std::size_t fingerprint() const { return fingerprint_of(starts_); }

 private:
  std::vector<std::size_t> starts_;  // of each unit, and the end
};

}  // namespace polder::containers
