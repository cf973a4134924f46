#include "generate.hpp"

#include <cmath>
#include <numbers>

namespace mf {
namespace {

enum What : std::uint64_t { kUser = 1, kItem, kPlace, kNoise };

std::vector<double> factors_of(const Recipe& recipe, What what, std::uint64_t which) {
  std::vector<double> factors(recipe.factors);
  const double scale = std::pow(double(recipe.factors), -0.25);
  for (unsigned k = 0; k < recipe.factors; ++k)
    factors[k] = scale * drawn_normal(recipe.seed, what, which * recipe.factors + k);
  return factors;
}

}  // namespace

// Box and Muller, 1958.
double drawn_normal(std::uint64_t seed, std::uint64_t what, std::uint64_t which) {
  const double one = 1 - drawn_share(seed, what, 2 * which), two = drawn_share(seed, what, 2 * which + 1);
  return std::sqrt(-2 * std::log(one)) * std::cos(2 * std::numbers::pi * two);
}

std::vector<Rating> generate(const Recipe& recipe, unsigned rank, unsigned ranks) {
  std::vector<std::vector<double>> items;
  for (std::uint64_t item = 0; item < recipe.items; ++item) items.push_back(factors_of(recipe, kItem, item));
  std::vector<Rating> ratings;
  for (std::uint64_t user = rank; user < recipe.users; user += ranks) {
    const std::vector<double> own = factors_of(recipe, kUser, user);
    for (std::uint64_t item = 0; item < recipe.items; ++item) {
      const std::uint64_t place = user * recipe.items + item;
      if (drawn_share(recipe.seed, kPlace, place) >= recipe.observed) continue;
      double value = recipe.noise * drawn_normal(recipe.seed, kNoise, place);
      for (unsigned k = 0; k < recipe.factors; ++k) value += own[k] * items[item][k];
      ratings.push_back({user + 1, item + 1, value});
    }
  }
  return ratings;
}

double floor_of(const Recipe& recipe, std::uint64_t seen) {
  const double degrees = recipe.factors * (double(recipe.users) + double(recipe.items) - recipe.factors);
  return recipe.noise * std::sqrt(1 + degrees / double(seen));
}

}  // namespace mf
