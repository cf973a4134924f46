#include "recipe.hpp"

#include "draw.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace kmeans {
namespace {

// Two normal numbers of mean 0 and deviation 1. Box, Muller, "A note on the generation of random normal deviates", 1958.
struct NormalPair {
  double one, other;
};
NormalPair normal_pair(std::uint64_t seed, std::uint64_t place) {
  const double radius = std::sqrt(-2 * std::log(1 - drawn_share(seed, 2 * place)));
  const double angle = 2 * std::numbers::pi * drawn_share(seed, 2 * place + 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

Points make_points(const Recipe& recipe, const Share& share) {
  constexpr std::uint64_t kCentres = 1, kClouds = 2, kNoise = 3;
  const auto stream = [&](std::uint64_t number) { return recipe.seed ^ (0x67656e0000000000U + number); };
  std::vector<double> centres(recipe.clouds * recipe.dims);
  for (std::size_t i = 0; i < centres.size(); ++i) centres[i] = 20 * drawn_share(stream(kCentres), i) - 10;
  Points points(share.size, recipe.dims);
  const std::uint64_t pairs = (recipe.dims + 1) / 2;
  for (std::uint64_t i = 0; i < share.size; ++i) {
    const std::uint64_t number = share.first + i;
    const double* const centre = &centres[drawn_below(stream(kClouds), number, recipe.clouds) * recipe.dims];
    for (std::uint64_t pair = 0; pair < pairs; ++pair) {
      const NormalPair noise = normal_pair(stream(kNoise), number * pairs + pair);
      points.at(i, 2 * pair) = centre[2 * pair] + recipe.spread * noise.one;
      if (2 * pair + 1 < recipe.dims) points.at(i, 2 * pair + 1) = centre[2 * pair + 1] + recipe.spread * noise.other;
    }
  }
  return points;
}

}  // namespace kmeans
