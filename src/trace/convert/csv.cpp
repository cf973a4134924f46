// One line for each event, file after file.
#include "trace/analyse/survey.hpp"
#include "trace/convert/convert.hpp"
#include "trace/convert/output.hpp"

namespace polder::trace {

namespace {

constexpr std::string_view kHeading =
    "rank,thread,kind,category,phase,begin_ns,end_ns,peer,segment,bytes,queue,notification,value,outcome,algorithm\n";
constexpr std::string_view kPhases[] = {"span", "mark", "async", "counter"};

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

template <class Number>
void field(std::string& line, Number value, Number none) {
  line += ',';
  if (value != none) line += std::to_string(value);
}

std::string line_of(const TraceFile& file, const Event& event) {
  const NameEntry name = file.name_of(event.kind);
  std::string line = std::to_string(file.rank()) + ',' + std::to_string(event.thread) + ',' + quoted(name.name) + ',' +
                     quoted(name.category) + ',' + std::string(kPhases[std::size_t(event.phase)]) + ',' +
                     std::to_string(event.begin_ns) + ',' + std::to_string(event.end_ns);
  field(line, event.peer, kNoPeer);
  field(line, event.segment, kNoSegment);
  line += ',' + std::to_string(event.bytes);
  field(line, event.queue, kNoQueue);
  field(line, event.notification, kNoNotification);
  line += ',' + std::to_string(event.value) + ',' + std::string(to_string(event.outcome)) + ',' +
          quoted(file.algorithm_of(event)) + '\n';
  return line;
}

}  // namespace

Result<ConvertReport> convert_to_csv(Job& job, const std::string& output) {
  Output out(output);
  ConvertReport report;
  report.outputs = {output};
  report.ranks = Rank(job.files().size());
  out.write(kHeading);
  Status status = job.for_each([&](const TraceFile& file, const Event& event) {
    ++report.events;
    report.duration_ns = std::max(report.duration_ns, event.end_ns);
    out.write(line_of(file, event));
  });
  if (!status.ok()) return status;
  if (status = out.close(); !status.ok()) return status;
  report.remarks = job.remarks();
  return report;
}

}  // namespace polder::trace
