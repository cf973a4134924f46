// Learning: each rank goes through the ratings of its users, again and again, and what it changes in the vectors of the
// items is added up over all ranks by a stale-synchronous allreduce, or in a table of rows. Vectors of users never travel.
#pragma once

#include "common/progress.hpp"
#include "common/team.hpp"
#include "factors.hpp"
#include "rating_table.hpp"

#include <polder/stale.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mf {

// Real time, or that of a simulation.
struct Time {
  std::function<double()> now;        // seconds
  std::function<void(double)> sleep;  // seconds
};
Time real_time();

// Sleeps that stand for a machine that is not ours alone. Which iteration of which rank is late is drawn from the seed.
struct Stragglers {
  double share = 0;  // of iterations that are late
  double pause = 0;  // seconds that such an iteration sleeps
  double work = 0;   // seconds that every iteration sleeps
};

struct Training {
  std::uint64_t iterations = 50;
  std::uint64_t slack = 8;
  polder::StaleShape shape = polder::StaleShape::hypercube;
  bool by_rows = false;  // items are rows of a table, and have no shape
  Rates rates;
  Stragglers stragglers;
  std::uint64_t seed = 1;
  std::string model;                   // where it is saved; empty: nowhere
  std::uint64_t checkpoint_every = 0;  // iterations; 0: at the end only
};

// After an iteration of a rank: what its own predictions are off at the ratings of its users that it has not learned.
struct Point {
  double seconds = 0;  // since learning began
  double squared = 0;
  std::uint64_t iteration = 0;
};

struct Course {
  std::vector<Point> points;  // of this rank
  double seconds = 0, waiting = 0, communicating = 0;
  std::uint64_t stalest = 0;  // iterations that something was older, at most
  double staleness = 0;       // on average over iterations
  std::uint64_t bytes = 0;
};

// Collective. `users` of this rank and `items` of all go on from what they are. `before`: iterations that they have
// learned already. A rank whose numbers leave those there are fails; the others stop.
Result<Course> learn_together(const apps::Team& team, const RatingTable& table, const Training& training,
                              std::uint64_t before, const Time& time, Factors& users, Factors& items,
                              apps::Progress& progress);

}  // namespace mf
