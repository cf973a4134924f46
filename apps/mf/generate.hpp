// Ratings that are made instead of read: a product of two thin matrices, of which some places are seen, with noise. So it
// is known how well they can be predicted.
#pragma once

#include "rating.hpp"

#include <cstdint>
#include <vector>

namespace mf {

struct Recipe {
  std::uint64_t users = 640;
  std::uint64_t items = 400;
  unsigned factors = 8;   // the rank of the product, whose elements have a variance of 1
  double observed = 0.2;  // share of the places
  double noise = 0.1;     // its standard deviation
  std::uint64_t seed = 1;
};

// Those of every `ranks`-th user.
std::vector<Rating> generate(const Recipe& recipe, unsigned rank, unsigned ranks);

// The least error, root mean square, that is to be expected at places that were not seen: noise x sqrt(1 + degrees of
// freedom / places seen), where r (m + n - r) numbers are to be found.
double floor_of(const Recipe& recipe, std::uint64_t seen);

}  // namespace mf
