#include "trace/analyse/survey.hpp"
#include "trace/convert/chrome.hpp"
#include "trace/convert/convert.hpp"

namespace polder::trace {

Result<ConvertReport> convert_to_chrome(Job& job, const std::string& output) {
  Output out(output);
  ChromeWriter writer(out);
  for (const TraceFile& file : job.files()) writer.write_rank(file);
  Status status = job.for_each([&](const TraceFile& file, const Event& event) { writer.write_event(file, event); });
  if (!status.ok()) return status;
  const auto counts = survey(job, {.flow = [&](const Flow& flow) { writer.write_flow(flow); }, .meeting = {}});
  if (!counts) return counts.status();
  writer.finish();
  if (status = out.close(); !status.ok()) return status;
  return ConvertReport{{output},      Rank(job.files().size()), counts->events,
                       counts->flows, counts->end_ns,           job.remarks()};
}

}  // namespace polder::trace
