// What formats have in common that want the ranks first, then all events, then arrows.
#pragma once

#include "trace/analyse/survey.hpp"
#include "trace/convert/convert.hpp"
#include "trace/convert/output.hpp"

#include <string>

namespace polder::trace {

// Writer: Writer(Output&), write_rank(file), write_event(file, event), write_flow(flow), finish().
template <class Writer>
Result<ConvertReport> convert_streaming(Job& job, const std::string& output) {
  Output out(output);
  Writer writer(out);
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
