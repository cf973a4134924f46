// What containers cost. One function per measurement; rank 0 prints. bench/peers/containers.cpp has the same names for
// the same work by MPI.
#pragma once

#include "common/arguments.hpp"
#include "common/report.hpp"
#include "containers/team_world.hpp"

#include <string_view>

namespace bench {

// alone.cpp: rank 0 reaches for elements of its own and of the last rank; copies from there.
void measure_elements(TeamWorld& world, const Arguments& arguments);
void measure_copies(TeamWorld& world, const Arguments& arguments);

// together.cpp: all ranks at once.
void measure_updates(TeamWorld& world, const Arguments& arguments);
void measure_halo(TeamWorld& world, const Arguments& arguments);
void measure_product(TeamWorld& world, const Arguments& arguments);
void measure_sort(TeamWorld& world, const Arguments& arguments);

// All of them.
void measure_all(TeamWorld& world, const Arguments& arguments);

inline void report_of(const TeamWorld& world, std::string_view name, std::size_t size,
                      const std::vector<double>& samples) {
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

}  // namespace bench
