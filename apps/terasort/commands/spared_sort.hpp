// `terasort sort --spares`: the sort that outlives its ranks.
#pragma once

#include "../spares/spared_job.hpp"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace terasort {

struct KillAt {
  Step step = Step::sample;
  unsigned rank = 0;
};

struct SparedArguments {
  unsigned spares = 0;  // 0: the sort without
  std::vector<KillAt> kills;
};

void add_spared_arguments(CLI::App& app, SparedArguments& arguments);

// Joins the job, sorts, and tells. Returns the exit code of this rank.
int sort_with_spares(const SortOptions& options, const SparedArguments& arguments);

}  // namespace terasort
