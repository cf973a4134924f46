// The environment of the ranks: the launcher's own, what --env says, and how to find the job.
#pragma once

#include "launch/run_options.hpp"

#include <polder/status.hpp>

#include <string>
#include <vector>

namespace polder::cli {

class Environment {
 public:
  // `job` is the value of POLDER_JOB. invalid_argument: an --env is not NAME=VALUE, or sets what the launcher sets.
  static Result<Environment> create(const RunOptions& options, const std::string& job);

  // The array that exec takes for `rank`; valid until the next call.
  char** for_rank(Rank rank, const std::string& lifeline);

 private:
  void set(const std::string& name, const std::string& value);

  std::vector<std::string> common_;
  std::vector<std::string> own_;
  std::vector<char*> pointers_;
};

}  // namespace polder::cli
