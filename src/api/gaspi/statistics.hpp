// Counters of what the program has asked for (GASPI 17.1, section 14.1). Off unless the program raises the verbosity
// level: then a call costs one predictable branch more.
#pragma once

#include "api/gaspi/symbols.hpp"

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
  bytes_to_rank,  // the only one with an argument, and with a level of 2
};
inline constexpr unsigned kCounters = unsigned(Counter::bytes_to_rank) + 1;

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
  void count_read(unsigned long bytes) {
    count(Counter::reads);
    count(Counter::bytes_read, bytes);
  }

  // False: there is no such rank. `rank` is ignored where the counter has no argument.
  bool get(Counter counter, Rank rank, unsigned long& value) const;
  void reset(Counter counter);

 private:
  void add(Counter counter, unsigned long amount);
  void add_write(Rank target, unsigned long bytes);

  std::atomic<unsigned> level_{0};
  std::atomic<unsigned long> values_[kCounters] = {};
  std::unique_ptr<std::atomic<unsigned long>[]> to_rank_;
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

}  // namespace polder::gaspi
