// What rank 0 does alone while rank 1 waits in the next barrier: the same code for Polder and for every MPI.
#pragma once

#include "common/arguments.hpp"
#include "common/report.hpp"
#include "common/sampling.hpp"

#include <cstddef>
#include <cstdint>

namespace bench {

// Rank 0 does `operation` again and again, then `finish`.
template <class World, class Operation, class Finish>
void measure_alone(World& world, const Arguments& arguments, const char* name, std::size_t size, Operation operation,
                   Finish finish) {
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) operation();
    finish();
  });
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

// The same with many under way at a time: `finish` after so many, and at the end.
template <class World, class Operation, class Finish>
void measure_streaming(World& world, const Arguments& arguments, const char* name, std::size_t size,
                       Operation operation, Finish finish) {
  constexpr std::uint64_t kUnderWay = 16;
  std::uint64_t begun = 0;
  const auto next = [&] {
    operation();
    if (++begun % kUnderWay == 0) finish();
  };
  measure_alone(world, arguments, name, size, next, finish);
}

}  // namespace bench
