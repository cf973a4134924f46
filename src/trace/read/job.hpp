// The trace of a whole job: the files of its ranks, brought to one time that starts with the trace.
#pragma once

#include "trace/read/clock_fit.hpp"
#include "trace/read/reader.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace polder::trace {

class Job {
 public:
  // Reads what the files say of themselves and jumps over the events. invalid_argument: there are no traces, or they
  // are not of one job. system: a file cannot be read.
  static Result<Job> open(const std::string& directory);

  const std::vector<TraceFile>& files() const { return files_; }  // by rank
  Rank size() const { return files_.front().header.size; }
  std::uint64_t events() const;

  // Calls visit(file, event) for all events, file after file, a thread's in the order in which they end. Times are
  // nanoseconds since the earliest reading of any rank's clock, ends are not before beginnings, peers exist or are
  // kNoPeer, and phases are known; what is otherwise in a damaged file is left out, and counted.
  using Visitor = std::function<void(const TraceFile& file, const Event& event)>;
  Status for_each(const Visitor& visit);
  Status for_each_of(const TraceFile& file, const Visitor& visit);

  // The kind of which this one is, in `file`: what is known of calls of the library holds for those of doors.
  static EventKind like(const TraceFile& file, EventKind kind);

  // Machines, numbered in the order of their lowest rank.
  const std::vector<std::string>& hosts() const { return hosts_; }
  std::size_t host_of(const TraceFile& file) const { return host_numbers_.at(file.rank()); }
  // How each one's clock was put right, the first one's not at all.
  const std::vector<ClockLine>& clocks() const { return lines_; }
  // By how much times of two machines may be wrong beside each other; a very large number where nobody knows.
  std::int64_t apart_ns(std::size_t one, std::size_t other) const;
  // Bounds on the clock of a machine other than the first, from messages of the program; refit() uses them.
  ClockFit& fit(std::size_t host) { return fits_[host]; }
  void refit();
  // What the machine's own clock showed at a time that for_each() gave.
  std::int64_t uncorrected(std::size_t host, std::int64_t time_ns) const;

  // Sentences for a person: ranks that were killed, are missing, or lost events; how well clocks agree.
  std::vector<std::string> remarks() const;

 private:
  struct Rate {  // of a machine's ticks
    std::int64_t ticks = 0;
    std::int64_t monotonic_ns = 0;
    double ns_per_tick = 1;
  };

  Status check_same_job() const;
  void number_hosts();
  void measure_rates();
  void take_syncs();
  std::int64_t host_time(std::size_t host, std::int64_t ticks) const;
  std::int64_t time_of(std::size_t host, std::int64_t ticks) const;
  bool put_right(const TraceFile& file, std::size_t host, Event& event) const;

  std::vector<TraceFile> files_;
  std::vector<std::string> hosts_;
  std::map<Rank, std::size_t> host_numbers_;
  std::vector<Rate> rates_;            // by host
  std::vector<std::int64_t> guesses_;  // of offsets, by time of day
  std::vector<ClockFit> fits_;
  std::vector<ClockLine> lines_;
  std::int64_t start_ns_ = 0;
  double length_ns_ = 0;               // of the machine that recorded longest
  std::map<Rank, std::uint64_t> odd_;  // events that made no sense in the last pass
};

}  // namespace polder::trace
