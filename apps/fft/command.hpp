// The command line.
#pragma once

#include "job.hpp"

#include <CLI/App.hpp>

namespace fft {

void add_arguments(CLI::App& app, Options& options);

// Joins the job, does it and tells; returns the exit code of this rank.
int run(const Options& options);

}  // namespace fft
