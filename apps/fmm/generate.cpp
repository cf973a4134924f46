#include "generate.hpp"

#include <cmath>
#include <numbers>

namespace fmm {
namespace {

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): a number that any two keys have nothing in common by.
std::uint64_t mix(std::uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
  key = (key ^ key >> 27) * 0x94d049bb133111eb;
  return key ^ key >> 31;
}

// Random numbers that belong to one particle.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t id) : state_(mix(seed * 0x9e3779b97f4a7c15 + 1) + mix(id)) {}

  // In [0, 1).
  double next() {
    state_ += 0x9e3779b97f4a7c15;
    return double(mix(state_) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

std::array<double, 3> in_cube(Dice& dice) {
  const double x = dice.next(), y = dice.next();
  return {x, y, dice.next()};
}

std::array<double, 3> in_plummer(Dice& dice) {
  constexpr double kMass = 0.999;
  // The share of mass within r is (1 + r^-2)^(-3/2).
  const double mass = kMass * (1 - dice.next());
  const double r = 1 / std::sqrt(std::pow(mass, -2.0 / 3) - 1);
  const double z = 2 * dice.next() - 1, angle = 2 * std::numbers::pi * dice.next();
  const double rho = std::sqrt(1 - z * z);
  return {r * rho * std::cos(angle), r * rho * std::sin(angle), r * z};
}

}  // namespace

std::vector<Particle> generate(const Recipe& recipe, Share share) {
  std::vector<Particle> particles(share.size());
  const double unit = 1 / double(recipe.total);
  for (std::uint64_t id = share.begin; id < share.end; ++id) {
    Dice dice(recipe.seed, id);
    Particle& particle = particles[id - share.begin];
    particle.id = id;
    particle.position = recipe.shape == Shape::cube ? in_cube(dice) : in_plummer(dice);
    particle.charge = recipe.charges == Charges::mixed && dice.next() < 0.5 ? -unit : unit;
  }
  return particles;
}

}  // namespace fmm
