// Ranks as threads, and reference results, for the tests of fmm.
#pragma once

#include "generate.hpp"
#include "kernels/kernels.hpp"
#include "solver.hpp"
#include "team.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace fmm {

inline constexpr double kPatience = 60;

// `body` as every rank of a simulated job.
inline void on_ranks(unsigned ranks, polder::SimulatedDevice device, const std::function<void(Team&)>& body) {
  polder::Simulation simulation(ranks, {.device = device, .runtime = {}});
  const Status status = simulation.run([&](polder::Runtime& runtime) {
    Team team(runtime, kPatience);
    body(team);
  });
  ASSERT_TRUE(status.ok()) << status.to_string();
}
inline void on_ranks(unsigned ranks, const std::function<void(Team&)>& body) {
  on_ranks(ranks, polder::SimulatedDevice::direct, body);
}

// Bodies with their memory.
struct OwnBodies {
  explicit OwnBodies(std::size_t n) : count(n), x(n + kPadding), y(x), z(x), charge(x) {}

  Bodies view() const { return {x.data(), y.data(), z.data(), charge.data()}; }
  Range all() const { return {0, std::uint32_t(count)}; }

  std::size_t count;
  std::vector<double> x, y, z, charge;
};

struct OwnField {
  explicit OwnField(std::size_t n) : potential(n + kPadding), x(potential), y(potential), z(potential) {}

  Field view() { return {potential.data(), x.data(), y.data(), z.data()}; }

  std::vector<double> potential, x, y, z;
};

// Uniform in the cube around `centre`, charges in [-1, 1].
inline OwnBodies bodies_in(std::size_t count, const Cube& cube, unsigned seed) {
  OwnBodies bodies(count);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> half(-0.5, 0.5);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.x[i] = cube.centre[0] + cube.side * half(random);
    bodies.y[i] = cube.centre[1] + cube.side * half(random);
    bodies.z[i] = cube.centre[2] + cube.side * half(random);
    bodies.charge[i] = 2 * half(random);
  }
  return bodies;
}

// By the definition.
inline OwnField direct_field(const OwnBodies& targets, const OwnBodies& sources) {
  OwnField field(targets.count);
  for (std::size_t i = 0; i < targets.count; ++i) {
    for (std::size_t j = 0; j < sources.count; ++j) {
      const double dx = targets.x[i] - sources.x[j], dy = targets.y[i] - sources.y[j], dz = targets.z[i] - sources.z[j];
      const double r = std::sqrt(dx * dx + dy * dy + dz * dz);
      if (r == 0) continue;
      const double q = sources.charge[j];
      field.potential[i] += q / r;
      field.x[i] += q * dx / (r * r * r);
      field.y[i] += q * dy / (r * r * r);
      field.z[i] += q * dz / (r * r * r);
    }
  }
  return field;
}

// Root mean square of the difference over that of `exact`.
inline double relative_error(const std::vector<double>& values, const std::vector<double>& exact) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    errors += (values[i] - exact[i]) * (values[i] - exact[i]);
    squares += exact[i] * exact[i];
  }
  return squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
}

inline std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  for (const Kernels* const* at = available_kernels(); *at != nullptr; ++at) all.push_back(*at);
  return all;
}

inline std::string name_of_kernels(const testing::TestParamInfo<const Kernels*>& made) {
  return made.param->name;
}

}  // namespace fmm
