#include "trace/merge.hpp"

#include "trace/chrome.hpp"
#include "trace/flows.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <system_error>

namespace polder::trace {

namespace {

// Brings every machine's monotonic clock to that of the first rank's machine. Ranks of one machine share one
// correction, whatever happened to the time of day between their starts.
class CommonClock {
 public:
  void add(const TraceFile& file) {
    const std::int64_t offset = file.header.clocks.offset_ns();
    if (offsets_.empty()) reference_ = offset;
    offsets_.try_emplace(file.host(), offset);
  }
  std::int64_t shift_ns(const TraceFile& file) const { return offsets_.at(file.host()) - reference_; }

 private:
  std::map<std::string, std::int64_t> offsets_;
  std::int64_t reference_ = 0;
};

Status check_same_job(const std::vector<TraceFile>& files) {
  const TraceFile& first = files.front();
  for (std::size_t i = 1; i < files.size(); ++i) {
    const TraceFile& file = files[i];
    if (file.header.job != first.header.job || file.header.size != first.header.size)
      return Status(Code::invalid_argument, "trace: " + first.path + " and " + file.path +
                                                " are of different jobs; remove the files of the older one");
    if (file.rank() == files[i - 1].rank())
      return Status(Code::invalid_argument, "trace: " + files[i - 1].path + " and " + file.path + " are both of rank " +
                                                std::to_string(file.rank()));
  }
  return {};
}

class Merge {
 public:
  explicit Merge(std::ostream& out) : out_(out) {}

  Result<MergeReport> run(const std::string& directory) {
    auto paths = find_traces(directory);
    if (!paths) return paths.status();
    if (Status status = read_heads(*paths); !status.ok()) return status;
    if (Status status = survey(); !status.ok()) return status;
    if (Status status = write(); !status.ok()) return status;
    make_remarks();
    return std::move(report_);
  }

 private:
  // Clocks and jobs must be known before any event is looked at.
  Status read_heads(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      auto file = read_trace_header(path);
      if (!file) return file.status();
      report_.files.push_back(*std::move(file));
    }
    std::sort(report_.files.begin(), report_.files.end(),
              [](const TraceFile& a, const TraceFile& b) { return a.rank() < b.rank(); });
    for (const TraceFile& file : report_.files) clock_.add(file);
    return check_same_job(report_.files);
  }

  // Calls visit(event, shift) for all events of all files.
  template <class Visit>
  Status for_each_event(Visit&& visit) {
    for (TraceFile& file : report_.files) {
      const std::int64_t shift = clock_.shift_ns(file);
      auto read = read_trace(file.path, [&](std::span<const Event> events) {
        for (const Event& event : events) visit(file, event, shift);
      });
      if (!read) return read.status();
      file = *std::move(read);
    }
    return {};
  }

  // First pass: the start of the trace and the arrows.
  Status survey() {
    std::int64_t last_ns = INT64_MIN;
    FlowMatcher matcher;
    Status status = for_each_event([&](const TraceFile& file, Event event, std::int64_t shift) {
      event.begin_ns += shift;
      event.end_ns += shift;
      start_ns_ = std::min(start_ns_, event.begin_ns);
      last_ns = std::max(last_ns, event.end_ns);
      matcher.add(file.rank(), event);
      ++report_.events;
    });
    flows_ = matcher.match();
    report_.flows = flows_.size();
    report_.duration_ns = report_.events == 0 ? 0 : last_ns - start_ns_;
    return status;
  }

  Status write() {
    ChromeWriter writer(out_);
    // The survey has read the names by now.
    for (const TraceFile& file : report_.files) writer.write_rank(file);
    Status status = for_each_event([&](const TraceFile& file, const Event& event, std::int64_t shift) {
      writer.write_event(file, event, shift - start_ns_);
    });
    for (Flow flow : flows_) {
      flow.from_ns -= start_ns_;
      flow.to_ns -= start_ns_;
      writer.write_flow(flow);
    }
    writer.finish();
    if (status.ok() && !out_) return Status(Code::system, "trace: cannot write the merged trace");
    return status;
  }

  void make_remarks() {
    Rank expected = 0;
    for (const TraceFile& file : report_.files) {
      remark_missing(expected, file.rank());
      expected = file.rank() + 1;
      const std::string rank = "rank " + std::to_string(file.rank()) + ": ";
      if (!file.finished)
        report_.remarks.push_back(rank +
                                  "did not close its trace: it was killed or still runs; its last events are missing");
      if (!file.damage.empty())
        report_.remarks.push_back(rank + file.damage + " of " + file.path + "; what comes after is left out");
      if (file.dropped != 0)
        report_.remarks.push_back(rank + std::to_string(file.dropped) +
                                  " events were lost, there was no room for them");
    }
    remark_missing(expected, report_.files.front().header.size);
  }

  void remark_missing(Rank from, Rank to) {
    if (from == to) return;
    const std::string last = to - from > 1 ? " to " + std::to_string(to - 1) : "";
    report_.remarks.push_back("rank " + std::to_string(from) + last + ": no trace file");
  }

  std::ostream& out_;
  MergeReport report_;
  CommonClock clock_;
  std::vector<Flow> flows_;
  std::int64_t start_ns_ = INT64_MAX;
};

}  // namespace

Result<MergeReport> merge_to_chrome(const std::string& directory, std::ostream& out) {
  return Merge(out).run(directory);
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
