// Adaptive waiting: spin while the event is likely near, then yield the core, then sleep on a bell.
//
// What is right depends on who else wants the cores. A sleeping core takes 20 us and more to wake in a virtual machine,
// a yield to another rank of the job takes 1 us, and a yield to a stranger's busy loop takes a whole time slice (3 ms).
// So:
//   - ranks fit the cores:      spin, then yield for a while, then sleep;
//   - ranks outnumber cores:    do not spin, yield from rank to rank, sleep when nothing comes for long;
//   - a spin was of no use and a yield to another thread was: the two share a core although there are enough; yield, but
//     if both are of this node first go to the core that is this rank's by its number, because the scheduler leaves two
//     that yield together;
//   - a yield came back late:   somebody else is computing on this core; sleep, because a sleeper that is woken
//                               preempts.
// `Patience` (util/patience.hpp) remembers what proved right, per runtime.
#pragma once

#include "util/bell.hpp"
#include "util/deadline.hpp"
#include "util/patience.hpp"
#include "util/placement.hpp"
#include "util/platform.hpp"
#include "util/scheduling.hpp"
#include "util/thread.hpp"

#include <polder/status.hpp>

#include <cstdint>

namespace polder::util {

// Yields the core, and remembers it if a stranger had it meanwhile.
inline void yield_once(Patience& patience) {
  const std::int64_t before = patience.clock().now_ns();
  yield_core();
  patience.met_stranger(before, patience.clock().now_ns());
}

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

// `has_spun`: for as long as a thread on another core would have needed.
template <class Ready>
bool yield(Ready& ready, Patience& patience, const Deadline& deadline, bool has_spun) {
  constexpr std::int64_t kSwitch = 1'000;  // ns: others had the core meanwhile
  const WaitOptions& options = patience.options();
  const Clock clock = patience.clock();
  std::int64_t before = clock.now_ns();
  const std::int64_t end = before + deadline.left(options.yield_ns, before);
  while (before < end) {
    yield_core();
    const std::int64_t after = clock.now_ns();
    const bool is_slow = patience.met_stranger(before, after), is_ready = ready();
    if (is_ready && has_spun && !is_slow && after - before > kSwitch) {
      const bool is_beside = patience.met_sharer(before, after);
      if (is_beside && options.has_core && clock.simulated() == nullptr)
        begin_on_core(options.local_rank, options.local_ranks, options.node);
    }
    if (is_ready || is_slow) return is_ready;
    before = after;
  }
  return false;
}

// As long as it is likely to come true soon.
template <class Ready>
bool look_out(Ready& ready, Patience& patience, const Deadline& deadline) {
  const bool spins = patience.may_spin();
  if (spins && spin(ready, patience.clock(), deadline.left(patience.options().spin_ns))) return true;
  return patience.may_yield() && yield(ready, patience, deadline, spins);
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

// How a sleep ended: there was no need for it, something has changed, or nothing that the sleeper knows of.
enum class Slept : std::uint8_t { over, rung, on };

// Waits until `ready()` is true: success; the deadline passes: Code::timeout; or `trouble()`, asked before each sleep
// and after it, returns an error: that. `ready` must be cheap and is called often.
//
// `sleep(over, nanoseconds)` sleeps for so long at most, unless `over()` is true once whatever makes `ready` true would
// end the sleep.
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
  if (!patience.may_spin()) patience.yielded();
  if (waiting_detail::look_out(ready, patience, deadline)) return {};
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
  while (true) {
    const Slept slept = sleep(over, deadline.left(options.slice_ns));
    patience.begins_turn();
    if (slept == Slept::over) return end;
    if (ready()) return {};
    // Others of the job have just done something.
    if (slept == Slept::rung && waiting_detail::look_out(ready, patience, deadline)) return {};
  }
}

// The same, asleep on `bell`, which whoever makes `ready` true rings afterwards.
template <class Ready, class Trouble>
Status wait_until(Ready&& ready, Trouble&& trouble, Bell& bell, Patience& patience, Timeout timeout) {
  const auto sleep = [&bell](auto&& over, std::int64_t nanoseconds) {
    Bell::Listener listener(bell);
    if (over()) return Slept::over;
    return listener.sleep(nanoseconds) ? Slept::rung : Slept::on;
  };
  return wait_asleep(ready, trouble, sleep, patience, timeout);
}

}  // namespace polder::util
