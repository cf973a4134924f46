// The command line.
#pragma once

#include "job.hpp"

#include <CLI/App.hpp>

namespace kmeans {

// --kill-at: after this iteration the rank kills itself.
struct KillAt {
  std::uint64_t iteration = 0;  // 0: never
  unsigned rank = 0;
};

struct Command {
  Options options;
  std::vector<KillAt> kills;
};

void add_arguments(CLI::App& app, Command& command);

// Joins the job, does it and tells; returns the exit code of this rank.
int run(const Command& command);

}  // namespace kmeans
