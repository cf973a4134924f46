// What a job tells at its end.
#pragma once

#include "clustering.hpp"
#include "common/survivors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kmeans {

struct Report {
  std::string source, start, vectors;
  std::uint64_t points = 0, dims = 0, clusters = 0;
  unsigned ranks = 0;        // that worked, at the end
  std::uint64_t memory = 0;  // bytes of the rank that needs most
  std::uint64_t iterations = 0, relocated = 0;
  bool converged = false;
  double inertia = 0;
  double seconds = 0;                                            // all of it
  double reading = 0, starting = 0, iterating = 0, writing = 0;  // of the last team
  double searching = 0, combining = 0;                           // means over ranks, of `iterating`
  std::vector<apps::Recovery> recoveries;
  std::vector<std::uint64_t> resumed_at;  // the iteration that each recovery went on from
};

std::string to_table(const Report& report);
std::string to_json(const Report& report);

}  // namespace kmeans
