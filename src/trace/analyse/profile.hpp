// Totals of what each rank did, the picture of it over time, and what can be seen from one rank's calls alone: puts that
// are too small, queues that are full, completions that were not needed.
#pragma once

#include "trace/analyse/findings.hpp"
#include "trace/analyse/loss_book.hpp"
#include "trace/analyse/outermost.hpp"
#include "trace/read/job.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace polder::trace {

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
    std::int64_t begin_ns;
    std::int64_t end_ns;
    Activity activity;
  };
  struct Run {  // of puts to one place, or of puts each of which was waited for
    Rank peer = kNoPeer;
    SegmentId segment = kNoSegment;
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    std::int64_t begin_ns = 0;  // of the first
    std::int64_t end_ns = 0;    // of the last
    std::string call;
  };
  struct Thread {
    Outermost<Interval> calls;
    Run puts;
    Run completions;
    std::int64_t last_completion_ns = 0;
    std::uint64_t puts_since = 0;
    std::int64_t room_ns = 0;     // in which the post that is about to end waited for room
    std::int64_t full_ns = 0;     // in calls that found the queue full
    std::int64_t full_since = 0;  // when the first of them began
    bool queue_was_full = false;
    std::map<std::int64_t, std::map<EventKind, std::uint64_t>> hardware;  // what was counted by then, of open regions
  };

  void count(RankProfile& profile, const std::string& name, EventKind like, const Event& event);
  void count_algorithm(const std::string& name, std::string_view algorithm, const Event& event);
  void settle(RankProfile& profile, const Interval& interval, int sign);
  void follow(Rank rank, Thread& thread, const std::string& name, EventKind like, const Event& event);
  void end_puts(Rank rank, Thread& thread);
  void end_completions(Rank rank, Thread& thread);
  void paint(Rank rank, const Interval& interval, int sign);
  void note_counter(const std::string& name, const Event& event);
  void note_hardware(Thread& thread, const Event& event);
  void count_hardware(const TraceFile& file, Thread& thread, const std::string& region, const Event& event);
  void keep_if_long(const TraceFile& file, const std::string& name, EventKind like, const Event& event);

  Analysis& to_;
  LossBook& book_;
  double bin_ns_;
  std::int64_t shortest_kept_ns_ = 0;
  std::map<std::uint16_t, Thread> threads_;  // of the file at hand
};

}  // namespace polder::trace
