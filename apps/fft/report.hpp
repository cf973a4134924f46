// What a job tells at its end.
#pragma once

#include "transform.hpp"

#include <string>

namespace fft {

struct Report {
  Extents extents{};
  Grid grid;
  bool inverse = false;
  unsigned pieces = 0;
  std::uint64_t memory = 0;                      // of a rank, at most
  double reading = 0, seconds = 0, writing = 0;  // of the slowest rank; seconds: the transform
  double computing = 0, waiting = 0;             // the mean over ranks
  std::uint64_t samples = 0;
  double error = 0, bound = 0;  // of the samples; what rounding allows
  std::string lines;            // who transforms them

  bool wrong() const { return error > bound; }
  double flops() const;  // 5 N log2 N, by which transforms are compared
};

std::string to_table(const Report& report);
std::string to_json(const Report& report);

}  // namespace fft
