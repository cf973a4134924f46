// What a job did, for a person and for a program.
#pragma once

#include "sample_check.hpp"
#include "solver.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fmm {

struct Spread {
  double minimum = 0;
  double median = 0;
  double maximum = 0;
};

struct StepReport {
  std::array<Spread, kPhases> phases{};  // over ranks, seconds
  double imbalance = 0;                  // the longest computing time of a rank over the mean, less 1
  std::uint64_t cells = 0;
  std::uint64_t depth = 0;
  std::uint64_t translations = 0;
  std::uint64_t body_pairs = 0;
  std::uint64_t essential_bytes = 0;
  std::uint64_t bytes = 0;  // memory of all ranks
  unsigned order = 0;
  Accuracy accuracy;  // samples are 0 where none was checked

  double seconds() const { return phases[std::size_t(Phase::total)].maximum; }
};

struct JobReport {
  std::string source;  // "cube", "plummer" or the name of a file
  std::string kernels;
  std::string precision;  // of translations
  std::uint64_t particles = 0;
  unsigned ranks = 0;
  double accuracy = 0;  // requested; 0: none
  std::size_t leaf_size = 0;
  std::uint64_t memory_bound = 0;  // bytes a rank
  std::vector<StepReport> steps;   // the last one is what was written

  const StepReport& last() const { return steps.back(); }
  // False: a sample was looked at, and its error is larger than requested.
  bool reached() const { return accuracy == 0 || last().accuracy.samples == 0 || last().accuracy.larger() <= accuracy; }
  // What direct summation of everything would take on the same ranks, from the time of the sample.
  double direct_seconds() const;
  double bytes_per_particle() const;
};

// Collective. Makes a step's report of all ranks' numbers.
Result<StepReport> collect(const Team& team, const StepNumbers& numbers);

std::string to_table(const JobReport& report);
std::string to_json(const JobReport& report);

}  // namespace fmm
