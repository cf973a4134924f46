// What a person should know of a trace before believing it.
#include "trace/read/job.hpp"

#include <cmath>
#include <cstdio>

namespace polder::trace {

namespace {

void remark_missing(std::vector<std::string>& remarks, Rank from, Rank to) {
  if (from >= to) return;
  const std::string last = to - from > 1 ? " to " + std::to_string(to - 1) : "";
  remarks.push_back("rank " + std::to_string(from) + last + ": no trace file");
}

void remark_omissions(std::vector<std::string>& remarks, const std::string& rank, const Omissions& omitted) {
  const auto say = [&](std::uint64_t events, const char* why) {
    if (events != 0) remarks.push_back(rank + std::to_string(events) + why);
  };
  say(omitted.lost, " events were lost, there was no room for them");
  say(omitted.beyond, " events came after the limit on the trace's size and are left out");
  say(omitted.filtered, " events were not asked for");
}

std::string microseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", ns * 1e-3);
  return text;
}

std::string about_clock(const std::string& host, const std::string& reference, const ClockLine& line) {
  const std::string begin = "the clock of " + host + ": " + microseconds(line.offset_ns) + " and " +
                            microseconds(line.drift * 1e9) + " a second were added to bring it to that of " + reference;
  if (!std::isfinite(line.error_ns))
    return begin + "; by the time of day, for no messages of both directions are known";
  if (line.error_ns < 0) return begin + "; messages still run backwards by up to " + microseconds(-2 * line.error_ns);
  return begin + ", right to " + microseconds(line.error_ns);
}

}  // namespace

std::vector<std::string> Job::remarks() const {
  std::vector<std::string> remarks;
  Rank expected = 0;
  for (const TraceFile& file : files_) {
    remark_missing(remarks, expected, file.rank());
    expected = file.rank() + 1;
    const std::string rank = "rank " + std::to_string(file.rank()) + ": ";
    if (!file.finished)
      remarks.push_back(rank + "did not close its trace: it was killed or still runs; its last events are missing");
    if (!file.damage.empty())
      remarks.push_back(rank + file.damage + " of " + file.path + "; what comes after is left out");
    remark_omissions(remarks, rank, file.omitted);
  }
  remark_missing(remarks, expected, size());
  for (std::size_t host = 1; host < hosts_.size(); ++host)
    remarks.push_back(about_clock(hosts_[host], hosts_[0], lines_[host]));
  std::uint64_t odd = 0;
  for (const auto& [rank, events] : odd_) odd += events;
  if (odd != 0) remarks.push_back(std::to_string(odd) + " events of damaged files make no sense and are left out");
  return remarks;
}

}  // namespace polder::trace
