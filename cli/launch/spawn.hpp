// Starts the process of a rank.
#pragma once

#include "launch/binding.hpp"
#include "launch/environment.hpp"
#include "launch/run_options.hpp"
#include "launch/signals.hpp"

#include "bootstrap/local/job_page.hpp"

#include <polder/status.hpp>

#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace polder::cli {

// What all ranks have in common, prepared once so that little is left to do between fork and exec.
struct SpawnPlan {
  std::string path;              // of the program
  std::vector<char*> arguments;  // ends with null; points into the options
  Environment environment;
  std::vector<CoreSet> cores;  // rank i gets entry i modulo the length; empty: no binding
  rlimit descriptors;          // the limits that the launcher was started with
  const SignalSource* signals;
  const bootstrap::local::JobPage* page;
  int news;  // where a child says that it could not become the program
};

// Descriptors of one rank; -1: as the launcher's.
struct Streams {
  int in = -1;
  int out = -1;
  int error = -1;
};

// Forks a process in a group of its own that dies with the launcher and becomes the program. Errors after the fork
// arrive as News::not_started. `lifeline` is what the rank finds in POLDER_LIFELINE.
Result<pid_t> spawn(SpawnPlan& plan, Rank rank, const std::string& lifeline, const Streams& streams);

}  // namespace polder::cli
