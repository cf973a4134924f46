// Particles that are made instead of read. Each depends on the seed and its number alone, so that any number of ranks
// makes the same.
#pragma once

#include "particle.hpp"

#include <cstdint>
#include <vector>

namespace fmm {

enum class Shape : std::uint8_t {
  cube,     // uniform in a unit cube
  plummer,  // Plummer's sphere of unit scale length (MNRAS 71 (1911) 460), cut off at 99.9 % of its mass
};
enum class Charges : std::uint8_t {
  equal,  // 1 / total: the masses of a system of mass 1
  mixed,  // +1 / total or -1 / total
};

struct Recipe {
  Shape shape = Shape::cube;
  Charges charges = Charges::equal;
  std::uint64_t total = 0;
  std::uint64_t seed = 1;
};

std::vector<Particle> generate(const Recipe& recipe, Share share);

}  // namespace fmm
