// Sums that do not depend on the order of what is added, nor on who adds it: numbers become integers first. So centroids are
// the same bits with any number of ranks, after any failure, and when a point that changes its cluster is taken from one
// sum and added to another. (The idea of reproducible summation: Demmel and Nguyen, "Parallel Reproducible Summation",
// IEEE Trans. Comp. 2015; here the largest number is known beforehand.)
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kmeans {

// A number in two parts, each a count of a fixed unit. Sums of parts are exact.
struct Parts {
  std::int64_t high = 0, low = 0;
};

// The units for sums of up to `count` numbers none of which is larger than `largest` in absolute value. With a million
// numbers the smaller unit is largest / 2^84: nothing of a number is lost unless it is 2^31 times smaller than `largest`.
class Units {
 public:
  Units() = default;
  Units(double largest, std::uint64_t count) {
    const int spare = 61 - int(std::bit_width(count));  // bits of a part of one number
    const int magnitude = largest > 0 ? std::max(std::ilogb(largest) + 1, kLeast) : 0;
    high_ = std::ldexp(1.0, magnitude - spare);
    low_ = std::ldexp(high_, -spare);
    per_high_ = 1 / high_;
    per_low_ = 1 / low_;
  }

  Parts parts(double number) const {
    const std::int64_t high = std::llrint(number * per_high_);
    return {high, std::llrint((number - double(high) * high_) * per_low_)};
  }
  double number(Parts sum) const { return double(sum.high) * high_ + double(sum.low) * low_; }

 private:
  static constexpr int kLeast = -800;  // below 2^-800 a sum is not exact any more, and its units' inverse no number

  double high_ = 1, low_ = 1, per_high_ = 1, per_low_ = 1;
};

}  // namespace kmeans
