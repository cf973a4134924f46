// How wrong the result is: direct summation over all particles at some of them.
#pragma once

#include "solver.hpp"

#include <cstdint>

namespace fmm {

struct Accuracy {
  std::uint64_t samples = 0;
  // Root of the sum of squared errors over that of squared values, at the samples; 0 if all values are 0.
  double potential = 0;
  double field = 0;
  // The largest error, over the root of the mean square of the values.
  double worst_potential = 0;
  double worst_field = 0;
  // Of all ranks together, for one target and all particles; so direct summation of everything would take `total` times
  // that.
  double seconds_per_target = 0;

  double larger() const { return potential > field ? potential : field; }
};

// Collective. Looks at `samples` particles of `total`, spread evenly over their numbers; all of them if there are
// fewer. Every rank sums over its own particles.
Result<Accuracy> check_sample(const Team& team, const Solver& solver, std::uint64_t total, std::uint64_t samples);

}  // namespace fmm
