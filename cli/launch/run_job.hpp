// `polder run`: starts a job on this machine, watches over it, and leaves nothing behind.
#pragma once

#include "launch/run_options.hpp"

namespace polder::cli {

// Returns the exit code of the launcher. To be called once by a process of one thread: it changes the process's signal
// mask and makes it the reaper of its descendants.
int run_job(const RunOptions& options);

}  // namespace polder::cli
