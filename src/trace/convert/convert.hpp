// From a job's traces to files for the tools of others.
#pragma once

#include "trace/read/job.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polder::trace {

struct ConvertReport {
  std::vector<std::string> outputs;  // files that were written
  Rank ranks = 0;
  std::uint64_t events = 0;
  std::uint64_t flows = 0;
  std::int64_t duration_ns = 0;
  std::vector<std::string> remarks;
};

struct Format {
  std::string_view name;
  std::string_view suffix;  // of the output where the user names none
  std::string_view help;
  Result<ConvertReport> (*convert)(Job& job, const std::string& output);
};

// By OTF2's library; unsupported where this was built without it.
Format otf2_format();

// All formats.
std::vector<Format> formats();

// `output` empty: DIR/trace and the format's suffix. invalid_argument: no such format, or no traces. system: reading or
// writing failed; then no output is there.
Result<ConvertReport> convert(const std::string& directory, std::string_view format, std::string output);

Result<ConvertReport> convert_to_paraver(Job& job, const std::string& output);
Result<ConvertReport> convert_to_perfetto(Job& job, const std::string& output);
Result<ConvertReport> convert_to_chrome(Job& job, const std::string& output);
Result<ConvertReport> convert_to_csv(Job& job, const std::string& output);

}  // namespace polder::trace
