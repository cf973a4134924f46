// Points that are made up: clouds around centres that are drawn.
#pragma once

#include "points.hpp"

#include <cstdint>

namespace kmeans {

struct Recipe {
  std::uint64_t points = 0, dims = 10, clouds = 100;
  double spread = 0.5;  // standard deviation of a cloud in each dimension; centres lie between -10 and 10
  std::uint64_t seed = 1;
};

// Those of `share`; the same points whoever makes them.
Points make_points(const Recipe& recipe, const Share& share);

}  // namespace kmeans
