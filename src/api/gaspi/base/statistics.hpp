// Counters of what the program has asked for (GASPI 17.1, section 14.1). Off unless the program raises the verbosity
// level: then a call costs one predictable branch more.
#pragma once

#include "api/gaspi/base/symbols.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <memory>

namespace polder::gaspi {

enum class Counter : unsigned {
  writes,
  bytes_written,
  reads,
  bytes_read,
  notifications,
  waits,
  barriers,
  allreduces,
  atomics,
  passive_sends,
  passive_receives,
  // Nanoseconds inside the calls.
  time_writes,
  time_reads,
  time_notifications,
  time_notification_waits,
  time_waits,
  time_barriers,
  time_allreduces,
  time_atomics,
  time_passive_sends,
  time_passive_receives,
  // With a rank as their argument.
  bytes_to_rank,
  messages_to_rank,
};
inline constexpr unsigned kCounters = unsigned(Counter::messages_to_rank) + 1;
// Each costs more than an addition: only from this level on.
inline constexpr unsigned kDetailedLevel = 2;

struct CounterInfo {
  const char* name;
  const char* description;
  gaspi_statistic_argument_t argument;
  unsigned level;
};

const CounterInfo& info(Counter counter);

class Statistics {
 public:
  // Makes room for the counters of this many ranks, all zero; those of the life cycle before are gone.
  void prepare(Rank ranks);

  void set_level(unsigned level) { level_.store(level, std::memory_order_relaxed); }

  void count(Counter counter, unsigned long amount = 1) {
    if (level_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      add(counter, amount);
  }
  void count_write(Rank target, unsigned long bytes) {
    if (level_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      add_write(target, bytes);
  }
  void count_notification(Rank target) {
    if (level_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      add_notification(target);
  }
  void count_passive_send(Rank target, unsigned long bytes) {
    if (level_.load(std::memory_order_relaxed) == 0) [[likely]]
      return;
    add(Counter::passive_sends, 1);
    add_message(target, bytes);
  }
  void count_read(unsigned long bytes) {
    count(Counter::reads);
    count(Counter::bytes_read, bytes);
  }

  bool detailed() const { return level_.load(std::memory_order_relaxed) >= kDetailedLevel; }
  void add(Counter counter, unsigned long amount);

  // False: there is no such rank. `rank` is ignored where the counter has no argument.
  bool get(Counter counter, Rank rank, unsigned long& value) const;
  void reset(Counter counter);

 private:
  struct ToRank {
    std::atomic<unsigned long> bytes{0};
    std::atomic<unsigned long> messages{0};
  };

  void add_write(Rank target, unsigned long bytes);
  void add_notification(Rank target);
  void add_message(Rank target, unsigned long bytes);

  std::atomic<unsigned> level_{0};
  std::atomic<unsigned long> values_[kCounters] = {};
  std::unique_ptr<ToRank[]> to_rank_;
  Rank ranks_ = 0;
};

// The counters of this process. Made before the program starts and never destroyed, so that a hot call reaches them
// without a guard.
union ImmortalStatistics {
  constexpr ImmortalStatistics() : value() {}
  ~ImmortalStatistics() {}
  Statistics value;
};
extern ImmortalStatistics immortal_statistics;
inline Statistics& statistics() {
  return immortal_statistics.value;
}

// Adds the time until its end to a counter, if the program wants details.
class Timed {
 public:
  explicit Timed(Counter counter) : counter_(counter) {
    if (statistics().detailed()) [[unlikely]]
      start_ = now();
  }
  ~Timed() {
    if (start_ != 0) [[unlikely]]
      statistics().add(counter_, now() - start_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  static unsigned long now();  // nanoseconds

  const Counter counter_;
  unsigned long start_ = 0;  // 0: not measured
};

}  // namespace polder::gaspi
