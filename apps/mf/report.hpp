// What a job tells at its end.
#pragma once

#include "common/team.hpp"
#include "rating_table.hpp"
#include "training.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mf {

// The error over time: at each moment, every rank's last iteration counts.
struct Moment {
  double seconds = 0;
  double error = 0;       // root mean square, at what is held out
  double iterations = 0;  // on average over ranks
};

struct Report {
  std::string source;
  std::uint64_t learned = 0, held_out = 0, users = 0, items = 0;
  unsigned factors = 0, ranks = 0;
  std::uint64_t iterations = 0;  // in all, those of the model that was resumed included
  std::uint64_t slack = 0;
  std::string shape;
  double seconds = 0, waiting = 0, communicating = 0;  // the mean over ranks
  double staleness = 0;
  std::uint64_t stalest = 0, bytes = 0;  // the largest of all; of all
  double error_learned = 0, error_held_out = 0;
  double floor = 0;           // 0: not known
  double target = 0;          // 0: none
  Moment reached;             // the first moment at which the error is the target; 0 iterations: it never was
  std::vector<Moment> curve;  // empty where nothing is held out

  bool misses_target() const { return target > 0 && reached.iterations == 0; }
};

// Collective: the courses of all ranks as one, in `report`; its curve at rank 0 only.
Status collect(const apps::Team& team, const RatingTable& table, const Course& course, Report& report);

std::string to_table(const Report& report);
std::string to_json(const Report& report);

}  // namespace mf
