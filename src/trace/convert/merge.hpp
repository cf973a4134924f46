// Brings the trace files of all ranks together, after the job, into one file for a viewer.
#pragma once

#include "trace/read/reader.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace polder::trace {

struct MergeReport {
  std::vector<TraceFile> files;  // by rank
  std::uint64_t events = 0;
  std::uint64_t flows = 0;           // arrows from a notification to the wait that it ended
  std::int64_t duration_ns = 0;      // from the first event to the end of the last one
  std::vector<std::string> remarks;  // sentences for a person: ranks that were killed, are missing, or lost events
};

// Reads all trace files in `directory` twice and writes Chrome trace JSON. Memory: a few kB for each rank and 40 bytes
// for each event with a notification. invalid_argument: there are no traces, or they are not of one job. system:
// reading or writing failed.
Result<MergeReport> merge_to_chrome(const std::string& directory, std::ostream& out);

// The same into a file, which is replaced as a whole at the end or left alone.
Result<MergeReport> merge_to_chrome_file(const std::string& directory, const std::string& path);

}  // namespace polder::trace
