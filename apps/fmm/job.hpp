// A whole job: particles, evaluations, check, results. Every rank runs it.
#pragma once

#include "generate.hpp"
#include "particle_file.hpp"
#include "report.hpp"

#include <cstdint>
#include <string>

namespace fmm {

struct Options {
  std::string input;  // a file of particles; empty: `recipe`
  FileFormat input_format = FileFormat::by_name;
  Recipe recipe;
  double accuracy = 1e-5;
  bool accuracy_requested = true;  // false: an order is asked for instead, and the error is only told
  unsigned order = 0;              // 0: from the accuracy, raised if the sample shows that it is not enough
  std::size_t leaf_size = 0;       // bodies; 0: by the order
  std::uint64_t steps = 1;
  double time_step = 0;          // particles move by it between steps, attracted by each other; 0: they stay
  std::uint64_t samples = 1000;  // particles to check; 0: none
  std::string output;            // empty: none
  FileFormat output_format = FileFormat::by_name;
  std::string kernels;       // by name; empty: the fastest
  std::uint64_t memory = 0;  // bytes that the ranks of one node may use; 0: what the system has available
  double patience = 600;     // seconds without a sign of life after which a peer counts as lost
  std::string json;          // where rank 0 writes the report; empty: nowhere
  bool quiet = false;        // nothing on standard error but errors
};

// Collective. On success the output has its name at all ranks' return; on failure it has not changed. All ranks fail
// together; those that stopped because of another one get an error without a text.
Result<JobReport> run_job(const Team& team, const Options& options);

}  // namespace fmm
