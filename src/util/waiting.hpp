// Adaptive waiting: spin while the event is likely near, then yield the core, then sleep on a bell.
//
// What is right depends on who else wants the cores. A sleeping core takes 20 us and more to wake in a virtual machine,
// a yield to another rank of the job takes 1 us, and a yield to a stranger's busy loop takes a whole time slice (3 ms).
// So:
//   - ranks fit the cores:      spin long, then sleep;
//   - ranks outnumber cores:    hardly spin, yield from rank to rank, sleep when nothing comes for long;
//   - a yield came back late:   somebody else is computing on this core; sleep, because a sleeper that is woken
//                               preempts.
// `Patience` remembers what proved right, per runtime.
#pragma once

#include "util/bell.hpp"
#include "util/deadline.hpp"
#include "util/platform.hpp"
#include "util/scheduling.hpp"
#include "util/thread.hpp"

#include <polder/status.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace polder::util {

struct WaitOptions {
  bool oversubscribed = false;           // more ranks than cores on this node
  std::int64_t spin_ns = 50'000;         // how long to spin when ranks fit the cores
  std::int64_t yield_ns = 1'000'000;     // how long to yield before sleeping
  std::int64_t slow_yield_ns = 300'000;  // a yield that takes longer met a stranger
  std::int64_t slice_ns = 50'000'000;    // the longest sleep between two looks at peers' health
  std::int64_t time_slice_ns = 100'000;  // what a thread that sleeps asks the scheduler for; 0: nothing
  Clock clock = {};
};

// Shared by all threads of a runtime; every access is relaxed, a lost update does no harm.
class Patience {
 public:
  explicit Patience(WaitOptions options = {}) : options_(options) {}

  const WaitOptions& options() const { return options_; }
  Clock clock() const { return options_.clock; }
  bool may_spin() const { return !options_.oversubscribed && strangers() == 0; }
  bool may_yield() const { return strangers() == 0; }

  // A yield took long. Once proves little: in a virtual machine the whole core may have been away. Who meets a stranger
  // again soon after he trusted the core again stays away from yielding four times as long.
  void met_stranger(std::int64_t now) {
    const bool again = now - trusting_since_.load(std::memory_order_relaxed) < kSoon;
    const int memory = again ? std::min(4 * memory_.load(std::memory_order_relaxed), kLongestMemory) : kMemory;
    memory_.store(memory, std::memory_order_relaxed);
    strangers_.store(memory, std::memory_order_relaxed);
  }
  // Every wait that slept brings us nearer to trying the faster ways again.
  void slept() {
    const int left = strangers();
    if (left == 0) return;
    if (left == 1) trusting_since_.store(clock().now_ns(), std::memory_order_relaxed);
    strangers_.store(left - 1, std::memory_order_relaxed);
  }

 private:
  static constexpr int kMemory = 8;  // waits after which strangers are forgotten, at first
  static constexpr int kLongestMemory = 1 << 14;
  static constexpr std::int64_t kSoon = 20'000'000;  // ns: some of a stranger's time slices
  int strangers() const { return strangers_.load(std::memory_order_relaxed); }

  WaitOptions options_;
  std::atomic<int> strangers_{0};
  std::atomic<int> memory_{kMemory};
  std::atomic<std::int64_t> trusting_since_{0};
};

namespace waiting_detail {

// Spins on `ready` for `nanoseconds`, looking at the clock only now and then.
template <class Ready>
bool spin(Ready& ready, Clock clock, std::int64_t nanoseconds) {
  if (clock.simulated() != nullptr) return false;  // nothing changes while this fibre runs
  const std::int64_t end = clock.now_ns() + nanoseconds;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      cpu_relax();
    }
  } while (clock.now_ns() < end);
  return false;
}

template <class Ready>
bool yield(Ready& ready, Patience& patience, const Deadline& deadline) {
  const WaitOptions& options = patience.options();
  const Clock clock = patience.clock();
  std::int64_t before = clock.now_ns();
  const std::int64_t end = before + deadline.left(options.yield_ns);
  while (before < end) {
    yield_core();
    if (ready()) return true;
    const std::int64_t after = clock.now_ns();
    if (after - before > options.slow_yield_ns) {
      patience.met_stranger(after);
      return false;
    }
    before = after;
  }
  return false;
}

}  // namespace waiting_detail

// Looks for about a microsecond, in which those who come at the same time are there; no clock is read and nobody else
// is served.
template <class Ready>
bool glance(Ready&& ready) {
  constexpr int kLooks = 50;
  for (int look = 0; look < kLooks; ++look) {
    if (ready()) return true;
    cpu_relax();
  }
  return false;
}

// Waits until `ready()` is true: success; the deadline passes: Code::timeout; or `trouble()`, asked before each sleep
// and after it, returns an error: that. `ready` must be cheap and is called often.
//
// `sleep(over, nanoseconds)` sleeps for so long at most, unless `over()` is true once whatever makes `ready` true would
// end the sleep; it returns what `over` did.
template <class Ready, class Trouble, class Sleep>
Status wait_asleep(Ready&& ready, Trouble&& trouble, Sleep&& sleep, Patience& patience, Timeout timeout) {
  if (ready()) return {};
  if (timeout.is_test()) {
    Status status = trouble();
    if (patience.clock().simulated() != nullptr) yield_core();  // a caller who asks again and again asks later
    return status.ok() ? Status(Code::timeout) : status;
  }
  const Deadline deadline(timeout, patience.clock());
  const WaitOptions& options = patience.options();
  if (patience.may_spin() && waiting_detail::spin(ready, patience.clock(), deadline.left(options.spin_ns))) return {};
  if (patience.may_yield() && waiting_detail::yield(ready, patience, deadline)) return {};
  ask_for_short_slices(options.time_slice_ns);
  Status end;
  const auto over = [&] {
    if (ready()) return true;
    end = trouble();
    if (end.ok()) {
      if (deadline.passed()) end = Code::timeout;
      return !end.ok();
    }
    if (ready()) end = Status();
    return true;
  };
  while (!sleep(over, deadline.left(options.slice_ns))) {
    patience.slept();
    if (ready()) return {};
  }
  return end;
}

// The same, asleep on `bell`, which whoever makes `ready` true rings afterwards.
template <class Ready, class Trouble>
Status wait_until(Ready&& ready, Trouble&& trouble, Bell& bell, Patience& patience, Timeout timeout) {
  const auto sleep = [&bell](auto&& over, std::int64_t nanoseconds) {
    Bell::Listener listener(bell);
    if (over()) return true;
    listener.sleep(nanoseconds);
    return false;
  };
  return wait_asleep(ready, trouble, sleep, patience, timeout);
}

}  // namespace polder::util
