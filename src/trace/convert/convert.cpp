#include "trace/convert/convert.hpp"

#include "trace/analyse/survey.hpp"

#include <exception>

namespace polder::trace {

std::vector<Format> formats() {
  return {{"paraver", ".prv", "Paraver: .prv, .pcf and .row", convert_to_paraver},
          {"perfetto", ".perfetto-trace", "Perfetto's own format, for ui.perfetto.dev", convert_to_perfetto},
          {"chrome", ".json", "JSON for ui.perfetto.dev and chrome://tracing", convert_to_chrome},
          {"csv", ".csv", "a line an event, for scripts and spreadsheets", convert_to_csv},
          otf2_format()};
}

Result<ConvertReport> convert(const std::string& directory, std::string_view format, std::string output) {
  for (const Format& known : formats()) {
    if (known.name != format) continue;
    auto job = Job::open(directory);
    if (!job) return job.status();
    if (output.empty()) output = directory + "/trace" + std::string(known.suffix);
    try {
      if (Status status = align_clocks(*job); !status.ok()) return status;
      return known.convert(*job, output);
    } catch (const std::exception& problem) {
      return Status(Code::system, std::string("trace: ") + problem.what());
    }
  }
  std::string names;
  for (const Format& known : formats()) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return Status(Code::invalid_argument, "trace: no format " + std::string(format) + "; there are " + names);
}

}  // namespace polder::trace
