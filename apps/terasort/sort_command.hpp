// The command line of the sort, the same for the GASPI program and its MPI peer.
#pragma once

#include "sort_job.hpp"

#include <CLI/App.hpp>

namespace terasort {

// Adds IN, OUT and the options; parsing fills `options`.
void add_sort_arguments(CLI::App& app, SortOptions& options);

// Collective. Sorts, prints the table or the error, writes the JSON report. Returns the exit code of this rank.
int run_sort(Team& team, Shuffle& shuffle, const SortOptions& options, const char* program);

// Writes the report where that is wanted.
Status write_json(const SortReport& report, const SortOptions& options);

// "terasort: rank 2: ..." on standard error; silent if another rank speaks.
void print_error(const Status& status, unsigned rank);

// What every command does first: a file that outgrows a limit is an error to report and not a signal to die of.
void ignore_file_size_signal();

}  // namespace terasort
