// How a measurement is taken: the same code for the machine's limits, for Polder and for every MPI, so that the numbers
// can be put side by side.
#pragma once

#include "common/clock.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace bench {

// How long to measure. A sample is the mean over as many iterations as fill `sample_ns`, and over `min_iterations` at
// least; the driver takes medians of samples.
struct Plan {
  int repetitions = 9;
  std::int64_t sample_ns = 10'000'000;
  std::uint64_t min_iterations = 1;
  std::uint64_t max_iterations = std::uint64_t{1} << 24;
};

// A World is the ranks that take part: rank(), size(), barrier(), from_zero(value), which gives everyone rank 0's
// value, and largest(value), which gives everyone the largest one.

// Whose time counts. A rank may lose its core right after the barrier that starts the clock, while the others run on;
// where they work for themselves, only the span from the first start to the last end says how long the work took.
enum class Timed {
  here,  // this rank's, from its start to its end: for bodies in which rank 0 works alone, or all wait for each other
  span,  // from the first rank's start to the last one's end: for bodies in which ranks work beside each other. Between
         // hosts, whose clocks differ: of the rank that took longest
};

// Nanoseconds that `body(iterations)` takes, all ranks starting together.
template <class World, class Body>
std::int64_t time_body(World& world, Body& body, std::uint64_t iterations, Timed timed) {
  const std::int64_t came = now_ns();
  world.barrier();
  const std::int64_t start = now_ns();
  body(iterations);
  const std::int64_t end = now_ns();
  if (timed == Timed::here) return end - start;
  const std::int64_t first = std::int64_t(~world.largest(~std::uint64_t(start)));
  const std::int64_t last = std::int64_t(world.largest(std::uint64_t(end)));
  const std::int64_t longest = std::int64_t(world.largest(std::uint64_t(end - start)));
  // Nobody leaves the barrier before all have come. Where it seems so the ranks have clocks of several hosts, which
  // count from when each was started: then no time of one rank can be taken from that of another.
  const bool one_clock = std::int64_t(world.largest(std::uint64_t(came))) <= first;
  return one_clock ? last - first : longest;
}

// Where ranks share cores, what one meeting takes depends on the order in which the scheduler happens to hold them, and
// one that begins or ends a sample waits for those who start or leave: a sample of a few says nothing.
inline Plan of_many(Plan plan, int ranks) {
  constexpr int kCrowd = 32;
  constexpr std::uint64_t kEnough = 64;
  if (ranks >= kCrowd) plan.min_iterations = std::min(kEnough, plan.max_iterations);
  return plan;
}

// The number of iterations that fill a sample, as rank 0 sees it. Doubles as the warm-up: only a second run of the same
// length is believed, because the first one may have set up connections and touched new pages.
template <class World, class Body>
std::uint64_t calibrate(World& world, const Plan& plan, Body& body, Timed timed) {
  std::uint64_t iterations = 1;
  while (true) {
    time_body(world, body, iterations, timed);
    const double took = double(std::max<std::int64_t>(time_body(world, body, iterations, timed), 1));
    const bool filled = took >= double(plan.sample_ns) / 2 && iterations >= plan.min_iterations;
    const bool enough = filled || iterations >= plan.max_iterations;
    // A short run says little about a long one, so it is trusted with no more than a factor of 10.
    const double factor = std::clamp(double(plan.sample_ns) / took, 1.0, 10.0);
    const auto more = std::max(std::uint64_t(factor * double(iterations)) + 1, plan.min_iterations);
    const std::uint64_t told = world.from_zero(enough ? 0 : std::min(more, plan.max_iterations));
    if (told == 0) return iterations;
    iterations = told;
  }
}

// Runs `body(iterations)` at all ranks, repeatedly; returns nanoseconds per iteration, one per repetition. The body is
// collective: each rank does its part.
template <class World, class Body>
std::vector<double> sample(World& world, const Plan& plan, Body&& body, Timed timed = Timed::here) {
  const std::uint64_t iterations = calibrate(world, plan, body, timed);
  std::vector<double> samples;
  for (int i = 0; i < plan.repetitions; ++i)
    samples.push_back(double(time_body(world, body, iterations, timed)) / double(iterations));
  return samples;
}

// The same for two bodies that are compared, taken in turn: a machine that becomes slower does so for both.
template <class World, class One, class Other>
std::array<std::vector<double>, 2> sample_in_turn(World& world, const Plan& plan, One&& one, Other&& other) {
  const std::uint64_t of_one = calibrate(world, plan, one, Timed::here);
  const std::uint64_t of_other = calibrate(world, plan, other, Timed::here);
  std::array<std::vector<double>, 2> samples;
  for (int i = 0; i < plan.repetitions; ++i) {
    samples[0].push_back(double(time_body(world, one, of_one, Timed::here)) / double(of_one));
    samples[1].push_back(double(time_body(world, other, of_other, Timed::here)) / double(of_other));
  }
  return samples;
}

// The same for any number of bodies. The order is turned with each repetition, so that nobody is always behind the same
// other one.
template <class World, class Body>
std::vector<std::vector<double>> sample_each_in_turn(World& world, const Plan& plan, std::vector<Body>& bodies) {
  std::vector<std::uint64_t> iterations;
  for (Body& body : bodies) iterations.push_back(calibrate(world, plan, body, Timed::here));
  std::vector<std::vector<double>> samples(bodies.size());
  for (std::size_t i = 0; i < std::size_t(plan.repetitions); ++i)
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const std::size_t at = (i + k) % bodies.size();
      samples[at].push_back(double(time_body(world, bodies[at], iterations[at], Timed::here)) / double(iterations[at]));
    }
  return samples;
}

}  // namespace bench
