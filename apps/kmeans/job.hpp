// A whole job: from points to centroids and labels, whoever dies meanwhile. Every rank runs it.
#pragma once

#include "clustering.hpp"
#include "point_source.hpp"
#include "report.hpp"
#include "start.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace kmeans {

struct Options {
  SourceOptions source;
  std::uint64_t clusters = 8;
  Start start = Start::oversampled;
  std::string from;  // first centroids, a .npy file; empty: `start`
  std::uint64_t seed = 1;
  Stop stop;
  unsigned spares = 0;
  std::string centroids, labels;  // where results are written, .npy; empty: nowhere
  bool progress = true;
  std::string json;
  double patience = 600;  // seconds without news after which other ranks count as lost
  // Called after each iteration, at every rank; for demonstrations and tests.
  std::function<void(std::uint64_t iteration)> at_iteration;
};

// Collective, of all ranks of the job. A rank that dies costs the iteration in which it dies, and what it takes to read its
// points again: centroids are at all ranks, so any that lives has what a new one needs. All fail together; those that stopped
// because of another one get an error without a text, and nothing is left under an output's name that was not there before.
// The report is complete at the rank for which `speaks` is set.
Result<Report> run_job(polder::Runtime& runtime, const Options& options, bool& speaks);

}  // namespace kmeans
