#include "trace/analyse/survey.hpp"
#include "trace/convert/convert.hpp"
#include "trace/convert/output.hpp"
#include "trace/convert/paraver_events.hpp"
#include "trace/convert/paraver_labels.hpp"
#include "trace/convert/paraver_rows.hpp"

#include <algorithm>
#include <ctime>
#include <map>

namespace polder::trace {

namespace {

using paraver::PrvRecord;
using paraver::PrvSorter;

constexpr std::int64_t kMeetingTag = 900'000;  // and the kind of the collective

std::string stem_of(const std::string& output) {
  return output.ends_with(".prv") ? output.substr(0, output.size() - 4) : output;
}

std::string date_of(const Job& job) {
  const std::time_t seconds = std::time_t(job.files().front().header.clocks.realtime_ns / 1'000'000'000);
  std::tm date{};
  localtime_r(&seconds, &date);
  char text[64];
  std::strftime(text, sizeof text, "%d/%m/%Y at %H:%M", &date);
  return text;
}

PrvRecord communication(const Flow& flow, std::int64_t tag) {
  PrvRecord line;
  line.time = flow.sent_ns;
  line.rank = flow.from;
  line.thread = flow.from_thread;
  line.what = PrvRecord::What::communication;
  // Where clocks of machines leave a message running backwards, it takes no time at all.
  const std::int64_t received = std::max(flow.received_ns, flow.sent_ns);
  const std::int64_t handed = std::clamp(flow.handed_ns, flow.sent_ns, received);
  for (const std::int64_t number :
       {flow.sent_ns, handed, std::int64_t(flow.to) + 1, std::int64_t(flow.to_thread) + 1,
        std::min(flow.awaited_ns, received), received, std::int64_t(flow.bytes & INT64_MAX), tag})
    line.add(number);
  return line;
}

// From the member that came last to all others, who waited for it.
void add_meeting(std::span<const Attendance> members, PrvSorter& records) {
  const auto last = std::max_element(members.begin(), members.end(),
                                     [](const Attendance& a, const Attendance& b) { return a.begin_ns < b.begin_ns; });
  for (const Attendance& member : members) {
    if (&member == &*last) continue;
    const Flow flow{.from_thread = last->thread,
                    .to_thread = member.thread,
                    .from = last->rank,
                    .to = member.rank,
                    .sent_ns = last->begin_ns,
                    .handed_ns = last->begin_ns,
                    .awaited_ns = member.begin_ns,
                    .received_ns = member.end_ns,
                    .bytes = last->bytes};
    records.push(communication(flow, kMeetingTag + std::int64_t(member.kind)));
  }
}

// "c:1:ID:tasks:..." for each group, the first one of all ranks.
std::vector<std::string> communicators(const Job& job) {
  std::map<std::uint32_t, std::vector<Rank>> groups;
  for (const TraceFile& file : job.files()) groups.insert(file.groups.begin(), file.groups.end());
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<Rank>& members) {
    std::string line = "c:1:" + std::to_string(lines.size() + 1) + ":" + std::to_string(members.size());
    for (const Rank rank : members) line += ":" + std::to_string(rank + 1);
    lines.push_back(line + "\n");
  };
  std::vector<Rank> all(job.size());
  for (Rank rank = 0; rank < job.size(); ++rank) all[rank] = rank;
  add(all);
  for (const auto& [tag, members] : groups) {
    const bool known = std::ranges::all_of(members, [&](Rank rank) { return rank < job.size(); });
    if (known && members != all && !members.empty()) add(members);
  }
  return lines;
}

}  // namespace

Result<ConvertReport> convert_to_paraver(Job& job, const std::string& output) {
  const std::string stem = stem_of(output);
  const paraver::PrvRows rows(job);
  paraver::Labels labels;
  paraver::Tiles tiles(rows, job.size());
  PrvSorter records;
  const auto add_flow = [&](const Flow& flow) {
    if (flow.from_thread < rows.threads(flow.from) && flow.to_thread < rows.threads(flow.to))
      records.push(communication(flow, flow.tag));
  };
  const auto counts = survey(
      job, {.flow = add_flow, .meeting = [&](std::span<const Attendance> members) { add_meeting(members, records); }});
  if (!counts) return counts.status();
  std::int64_t end_ns = std::max<std::int64_t>(counts->end_ns, 1);
  for (const TraceFile& file : job.files())
    if (Status status = add_events(job, file, rows, labels, records, tiles, end_ns); !status.ok()) return status;
  tiles.close(end_ns, records);

  Output prv(stem + ".prv");
  const auto groups = communicators(job);
  prv.write("#Paraver (" + date_of(job) + "):" + std::to_string(end_ns) + "_ns:" + rows.resources() + "," +
            std::to_string(groups.size()) + "\n");
  for (const std::string& group : groups) prv.write(group);
  std::string line;
  records.for_each([&](const PrvRecord& record) {
    line.clear();
    append_line(line, record);
    prv.write(line);
  });
  Output pcf(stem + ".pcf"), row(stem + ".row");
  pcf.write(labels.pcf_file(job.size()));
  row.write(rows.row_file());
  for (Output* file : {&prv, &pcf, &row})
    if (Status status = file->finish(); !status.ok()) return status;
  for (Output* file : {&pcf, &row, &prv})
    if (Status status = file->close(); !status.ok()) return status;
  return ConvertReport{{stem + ".prv", stem + ".pcf", stem + ".row"},
                       Rank(job.files().size()),
                       counts->events,
                       counts->flows,
                       end_ns,
                       job.remarks()};
}

}  // namespace polder::trace
