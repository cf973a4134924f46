// What a job's trace says about its time.
#pragma once

#include "trace/analyse/findings.hpp"
#include "trace/read/job.hpp"

#include <polder/status.hpp>

#include <string>

namespace polder::trace {

// Goes through the job five times. Memory: some 200 MB at most, whatever its size.
Result<Analysis> analyse(Job& job);

// Opens, aligns and analyses.
Result<Analysis> analyse_directory(const std::string& directory);

}  // namespace polder::trace
