// How long an operation of rank 0 on the memory of rank 1 takes while rank 1 waits for others, and while it computes
// and calls nothing: the same code for Polder and for every MPI.
#pragma once

#include "common/clock.hpp"
#include "common/report.hpp"
#include "common/sampling.hpp"
#include "common/work.hpp"

#include <string>
#include <thread>
#include <vector>

namespace bench {

inline constexpr std::int64_t kBusyWork = 30'000'000;  // ns of computing; an operation that waits for its end shows it
inline constexpr std::int64_t kBusyHead = 3'000'000;   // after this long the target computes for certain
inline constexpr int kBusyOperations = 20;             // that are timed while it does

// One sample: the mean time of `operation` at rank 0. Stops early where operations wait for the end of the computing.
template <class World, class Operation>
double one_busy_sample(World& world, bool busy, const Work& work, Operation operation) {
  double ns = 0;
  world.barrier();
  if (world.rank() == 1 && busy) work.run();
  if (world.rank() == 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kBusyHead));
    const std::int64_t start = now_ns();
    int done = 0;
    while (done < kBusyOperations && now_ns() - start < kBusyWork / 2) operation(), ++done;
    ns = double(now_ns() - start) / done;
  }
  world.barrier();
  return ns;
}

// Prints NAME_idle and NAME_busy.
template <class World, class Operation>
void measure_against_busy(World& world, const Plan& plan, const std::string& name, std::size_t size,
                          Operation operation) {
  const Work work(kBusyWork);
  for (const bool busy : {false, true}) {
    one_busy_sample(world, false, work, operation);  // connections are made
    std::vector<double> samples;
    for (int i = 0; i < plan.repetitions; ++i) samples.push_back(one_busy_sample(world, busy, work, operation));
    if (world.rank() == 0)
      report({.name = name + (busy ? "_busy" : "_idle"), .ranks = world.size(), .size = size, .samples = samples});
  }
}

}  // namespace bench
