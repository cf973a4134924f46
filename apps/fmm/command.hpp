// The command line.
#pragma once

#include "job.hpp"

#include <CLI/App.hpp>

namespace fmm {

// Adds the options; parsing fills `options`.
void add_arguments(CLI::App& app, Options& options);

// Joins the job, runs it, prints the table or the error, writes the JSON report. Returns the exit code of this rank.
int run(const Options& options);

}  // namespace fmm
