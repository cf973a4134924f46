#include "trace/convert/merge.hpp"

#include "trace/analyse/survey.hpp"
#include "trace/convert/chrome.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

namespace polder::trace {

Result<MergeReport> merge_to_chrome(const std::string& directory, std::ostream& out) {
  auto opened = Job::open(directory);
  if (!opened) return opened.status();
  Job job = *std::move(opened);
  if (Status status = align_clocks(job); !status.ok()) return status;
  ChromeWriter writer(out);
  for (const TraceFile& file : job.files()) writer.write_rank(file);
  Status status = job.for_each([&](const TraceFile& file, const Event& event) { writer.write_event(file, event); });
  if (!status.ok()) return status;
  const auto counts = survey(job, {.flow = [&](const Flow& flow) { writer.write_flow(flow); }, .meeting = {}});
  if (!counts) return counts.status();
  writer.finish();
  if (!out) return Status(Code::system, "trace: cannot write the merged trace");
  return MergeReport{job.files(), counts->events, counts->flows, counts->end_ns, job.remarks()};
}

Result<MergeReport> merge_to_chrome_file(const std::string& directory, const std::string& path) {
  const std::string part = path + ".part";
  const auto file_error = [&](const std::string& what) {
    Status status(Code::system, "trace: cannot " + what + ": " + std::generic_category().message(errno));
    std::remove(part.c_str());
    return status;
  };
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  if (!out) return file_error("write " + part);
  auto report = merge_to_chrome(directory, out);
  out.close();
  if (!report) {
    std::remove(part.c_str());
    return report;
  }
  if (!out) return file_error("write " + part);
  if (std::rename(part.c_str(), path.c_str()) != 0) return file_error("rename " + part + " to " + path);
  return report;
}

}  // namespace polder::trace
