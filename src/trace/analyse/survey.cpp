#include "trace/analyse/survey.hpp"

#include "trace/analyse/sorter.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace polder::trace {

namespace {

// The sorted row of attendances, meeting by meeting. Of a member that asked again after the end the first one counts.
template <class Visit>
void for_each_meeting(Sorter<Attendance>& sorter, Visit&& visit) {
  std::vector<Attendance> members;
  const auto end = [&] {
    if (members.size() > 1) visit(std::span<const Attendance>(members));
    members.clear();
  };
  sorter.for_each([&](const Attendance& attendance) {
    if (!members.empty() && !members.front().same_meeting(attendance)) end();
    if (!members.empty() && members.back().rank == attendance.rank) return;
    members.push_back(attendance);
  });
  end();
}

// Flows between the first machine and others bound what the others' clocks may show. Corrections so far are taken back
// out: the fit knows uncorrected clocks.
class ClockBounds {
 public:
  explicit ClockBounds(Job& job) : job_(job) {
    for (const TraceFile& file : job.files()) hosts_[file.rank()] = job.host_of(file);
  }

  void take(const Flow& flow) {
    const std::size_t from = hosts_.at(flow.from), to = hosts_.at(flow.to);
    if (from == to || (from != 0 && to != 0)) return;
    const std::size_t host = from == 0 ? to : from;
    if (from == 0)
      bound(host, flow.received_ns, flow.sent_ns, true);
    else
      bound(host, flow.sent_ns, flow.received_ns, false);
  }

 private:
  // `here_ns` of the host and `there_ns` of the first one are what the program's order ties together.
  void bound(std::size_t host, std::int64_t here_ns, std::int64_t there_ns, bool least) {
    const std::int64_t raw = job_.uncorrected(host, here_ns), there = job_.uncorrected(0, there_ns);
    if (least)
      job_.fit(host).at_least(raw, there - raw);
    else
      job_.fit(host).at_most(raw, there - raw);
  }

  Job& job_;
  std::map<Rank, std::size_t> hosts_;
};

}  // namespace

Status align_clocks(Job& job) {
  if (job.hosts().size() < 2) return {};
  ClockBounds bounds(job);
  const auto counted = survey(job, {.flow = [&](const Flow& flow) { bounds.take(flow); }, .meeting = {}});
  if (!counted) return counted.status();
  job.refit();
  return {};
}

Result<SurveyCounts> survey(Job& job, const SurveyVisitors& visitors) {
  SurveyCounts counts;
  Sorter<FlowEnd> ends;
  Sorter<Attendance> attendances;
  Roll roll;
  Status status = job.for_each([&](const TraceFile& file, const Event& event) {
    ++counts.events;
    counts.end_ns = std::max(counts.end_ns, event.end_ns);
    const EventKind like = Job::like(file, event.kind);
    FlowEnd end;
    Attendance attendance;
    if (flow_end(file.rank(), like, event, end)) ends.push(end);
    if (roll.take(file.rank(), like, event, attendance)) attendances.push(attendance);
  });
  if (!status.ok()) return status;
  std::map<Rank, std::size_t> hosts;
  for (const TraceFile& file : job.files()) hosts[file.rank()] = job.host_of(file);
  const auto visit = [&](const Flow& flow) {
    ++counts.flows;
    counts.most_backwards_ns = std::max(counts.most_backwards_ns, flow.sent_ns - flow.received_ns);
    if (visitors.flow) visitors.flow(flow);
  };
  FlowMatcher matcher(visit, [&](Rank one, Rank other) { return job.apart_ns(hosts.at(one), hosts.at(other)); });
  ends.for_each([&](const FlowEnd& end) { matcher.add(end); });
  matcher.finish();
  for_each_meeting(attendances, [&](std::span<const Attendance> members) {
    ++counts.meetings;
    if (visitors.meeting) visitors.meeting(members);
  });
  return counts;
}

}  // namespace polder::trace
