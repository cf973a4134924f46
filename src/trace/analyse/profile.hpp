// Totals of what each rank did, the picture of it over time, and what can be seen from one rank's calls alone: puts that
// are too small, queues that are full, completions that were not needed.
#pragma once

#include "trace/analyse/analysis.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace polder::trace {

// Adds up losses of one cause by rank, call and culprit.
class LossBook {
 public:
  void add(Cause cause, Rank loser, Rank culprit, const std::string& call, std::int64_t ns, std::uint64_t times = 1);
  // Without sentences.
  std::vector<Loss> losses() const;

 private:
  struct Sum {
    std::int64_t ns = 0;
    std::uint64_t times = 0;
    std::map<Rank, std::int64_t> losers;
    std::map<Rank, std::int64_t> culprits;
    std::map<std::string, std::int64_t> calls;
  };
  std::map<Cause, Sum> sums_;
};

class Profiler {
 public:
  Profiler(const Job& job, std::int64_t duration_ns, Analysis& to, LossBook& book);

  // All events of a file, a thread's in the order of their ends, then finish().
  void take(const TraceFile& file, const Event& event);
  void finish(const TraceFile& file);
  // After all files.
  void finish_timeline();

 private:
  struct Interval {
    std::int64_t begin;
    std::int64_t end;
    Activity activity;
  };
  struct Run {  // of puts to one place, or of puts each of which was waited for
    Rank peer = kNoPeer;
    SegmentId segment = kNoSegment;
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    std::string call;
  };
  struct Thread {
    std::vector<Interval> recent;  // outermost calls so far, the latest
    Run puts;
    Run completions;
    std::int64_t last_completion_ns = 0;
    std::uint64_t puts_since = 0;
    std::int64_t full_ns = 0;  // in calls that found the queue full
    bool queue_was_full = false;
  };

  void count(RankProfile& profile, const std::string& name, Kind like, const Event& event);
  void account(RankProfile& profile, Thread& thread, Kind like, const Event& event);
  void settle(RankProfile& profile, const Interval& interval, int sign);
  void follow(Rank rank, Thread& thread, const std::string& name, Kind like, const Event& event);
  void end_puts(Rank rank, Thread& thread);
  void end_completions(Rank rank, Thread& thread);
  void paint(Rank rank, const Interval& interval, int sign);
  void keep_if_long(const TraceFile& file, const std::string& name, const Event& event);

  Analysis& to_;
  LossBook& book_;
  double bin_ns_;
  std::map<std::uint16_t, Thread> threads_;  // of the file at hand
};

}  // namespace polder::trace
