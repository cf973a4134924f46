// What a runtime remembers of its waits, so that the next ones go the way that proves right (util/waiting.hpp).
#pragma once

#include "util/clock.hpp"
#include "util/core_turns.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace polder::util {

struct WaitOptions {
  unsigned local_rank = 0;                 // which of the ranks of this node
  unsigned local_ranks = 1;                // how many it has
  unsigned node = 0;                       // which of the nodes of the job
  bool has_core = true;                    // of its own by that number, to which it goes from one shared with them
  bool oversubscribed = false;             // more of them than cores
  std::int64_t spin_ns = 50'000;           // how long to spin when ranks fit the cores
  std::int64_t yield_ns = 1'000'000;       // how long to yield before sleeping
  std::int64_t slow_yield_ns = 1'000'000;  // whoever has the core for longer while we yield is a stranger
  std::int64_t slice_ns = 50'000'000;      // the longest sleep between two looks at peers' health
  std::int64_t time_slice_ns = 100'000;    // what a thread that sleeps asks the scheduler for; 0: nothing
  std::int64_t settling_ns = 300'000'000;  // in which ranks begin: whoever is met is not expected for long
  Clock clock = {};
};

// Who was met is expected in some waits to come; met again soon after it was forgotten, in four times as many. Every access
// is relaxed, a lost update does no harm.
class SharerMemory {
 public:
  bool holds() const { return left_.load(std::memory_order_relaxed) != 0; }

  void met(std::int64_t now) {
    const bool again = now - forgotten_.load(std::memory_order_relaxed) < kSoon;
    const int waits = again ? std::min(4 * waits_.load(std::memory_order_relaxed), kMost) : kFirst;
    waits_.store(waits, std::memory_order_relaxed);
    left_.store(waits, std::memory_order_relaxed);
  }
  // A wait has gone by.
  void fade(Clock clock) {
    const int left = left_.load(std::memory_order_relaxed);
    if (left == 0) return;
    if (left == 1) forgotten_.store(clock.now_ns(), std::memory_order_relaxed);
    left_.store(left - 1, std::memory_order_relaxed);
  }

 private:
  static constexpr int kFirst = 8, kMost = 1 << 14;  // waits
  static constexpr std::int64_t kSoon = 20'000'000;  // ns

  std::atomic<int> left_{0};
  std::atomic<int> waits_{kFirst};
  std::atomic<std::int64_t> forgotten_{0};
};

// Who was met is expected until the clock, which all processes of a machine read alike, comes to a multiple of a period; met
// again soon afterwards, of one twice as long, so that a stranger is expected for about as long as it was met again and again.
// And the ranks of a job leave off sleeping at the same time: one that yields alone, among others that sleep and wake, gets
// the core back so late that it would take them for the stranger, again and again. Those with short periods try in vain
// until theirs are as long as those of all. While they change, those that already yield meet those that still sleep: what
// happens then does not count.
class StrangerMemory {
 public:
  // Before `settled` all periods are the shortest.
  explicit StrangerMemory(std::int64_t settled) : settled_(settled) {}

  // Reads no clock once the time is over.
  bool holds(Clock clock) {
    if (!holds_.load(std::memory_order_relaxed)) return false;
    if (clock.now_ns() < end_.load(std::memory_order_relaxed)) return true;
    holds_.store(false, std::memory_order_relaxed);
    return false;
  }

  // In a yield that lasted from one time to another.
  void met(std::int64_t from, std::int64_t to) {
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    if (from < end + kChange) return;
    // Among many strangers one yield lasts longer than kSoon, and the first one behind the end did not count.
    const bool again = from - end < kSoon + (to - from) && to >= settled_;
    const std::int64_t period = again ? std::min(2 * period_.load(std::memory_order_relaxed), kMost) : kFirst;
    period_.store(period, std::memory_order_relaxed);
    end_.store((to / period + 1) * period, std::memory_order_relaxed);
    holds_.store(true, std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t kFirst = 2'000'000, kMost = 512'000'000;  // ns
  static constexpr std::int64_t kChange = 3'000'000,
                                kSoon = 20'000'000;  // ns: two of a stranger's time slices, and more

  const std::int64_t settled_;
  std::atomic<bool> holds_{false};
  std::atomic<std::int64_t> end_{-kSoon};
  std::atomic<std::int64_t> period_{kFirst};
};

// Shared by all threads of a runtime.
class Patience {
 public:
  explicit Patience(WaitOptions options = {}, CoreTurns turns = {})
      : options_(options), turns_(std::move(turns)), strangers_(options.clock.now_ns() + options.settling_ns) {}

  const WaitOptions& options() const { return options_; }
  Clock clock() const { return options_.clock; }
  bool may_spin() { return !options_.oversubscribed && !sharers_.holds() && may_yield(); }
  bool may_yield() { return !strangers_.holds(clock()); }
  // Instead of sleeping, as long as something comes.
  bool may_look_on() { return !options_.oversubscribed && may_yield(); }

  // The caller is back from a sleep.
  void begins_turn() { turns_.begin(clock().now_ns()); }
  // The caller is back from a yield. Whether it met a stranger, which is remembered: many others of the job, each of whom copies
  // for a moment, are none. `from`: behind its last one, or the begin of its wait. Once proves little: in a virtual machine the
  // whole core may have been away.
  bool met_stranger(std::int64_t from, std::int64_t to) {
    turns_.begin(to);
    if (to - from <= options_.slow_yield_ns || turns_.longest(from, to) <= options_.slow_yield_ns) return false;
    strangers_.met(from, to);
    return true;
  }
  // What a spin did not bring a yield brought, between these times: who was to do it had no core but this one. Whether it may have been
  // a rank of this node.
  bool met_sharer(std::int64_t from, std::int64_t to) {
    sharers_.met(to);
    return turns_.any(from, to);
  }
  // Every wait that did not spin brings us nearer to spinning again.
  void yielded() { sharers_.fade(clock()); }

 private:
  WaitOptions options_;
  CoreTurns turns_;
  StrangerMemory strangers_;
  SharerMemory sharers_;
};

}  // namespace polder::util
