// The naps of a helper beside threads of the program that poll: when it takes one, how long, and who wakes it early.
//
// A thread that polls says when it stops, because the helper may rely on it. Where several poll at once, only the last
// of them needs to say so, and one word for each nap is enough: more would be a system call each, from every thread at
// every short wait.
#pragma once

#include "device/wire/footsteps.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <pthread.h>

namespace polder::device::wire {

// Thread safe; one thread at a time naps.
class Nap {
 public:
  static constexpr std::int64_t kLongest_ns = 1'000'000;  // between two looks at whether another thread still polls
  static constexpr std::int64_t kBrief_ns = 50'000;       // the first of them

  // ---- of threads that poll ----

  void polled() {
    polls_.step();
    const pthread_t me = ::pthread_self();
    if (last_poller_.load(std::memory_order_relaxed) != me) last_poller_.store(me, std::memory_order_relaxed);
    // One that had stopped is back, or another one is there: it says so in its turn.
    if (polling_ended_.load(std::memory_order_relaxed)) polling_ended_.store(false, std::memory_order_relaxed);
  }

  // This thread will not poll for a while. True: it must ring, for the helper naps and nobody else has polled since.
  bool stop_polling() {
    if (last_poller_.load(std::memory_order_relaxed) != ::pthread_self()) return false;
    polling_ended_.store(true, std::memory_order_seq_cst);
    return napping_.load(std::memory_order_seq_cst) && napping_.exchange(false, std::memory_order_seq_cst);
  }

  bool is_taken() const { return napping_.load(std::memory_order_relaxed); }

  // ---- of the helper ----

  // Another thread has polled since the last call, and has not said that it stopped: the helper keeps out of its way.
  bool others_poll() { return polls_.moved() && !polling_ended_.exchange(false, std::memory_order_relaxed); }

  // Nanoseconds of the next nap, at most `left`: twice as long each time. Another thread polls, or did so before the
  // helper slept, and a short one tells; or it sends a large transfer, and to wake again and again takes the core from
  // it.
  std::int64_t longer(std::int64_t left) {
    const std::int64_t length = length_ns_.load(std::memory_order_relaxed);
    length_ns_.store(std::min(2 * length, kLongest_ns), std::memory_order_relaxed);
    return std::min(left, length);
  }
  void brief_again() { length_ns_.store(kBrief_ns, std::memory_order_relaxed); }

  // False: polling has ended meanwhile. Either the helper sees that here, or the thread that ends it sees the nap.
  bool begin() {
    napping_.store(true, std::memory_order_seq_cst);
    return !polling_ended_.load(std::memory_order_seq_cst);
  }
  void end() { napping_.store(false, std::memory_order_relaxed); }

 private:
  Footsteps polls_;
  std::atomic<pthread_t> last_poller_{};
  std::atomic<bool> polling_ended_{false};
  std::atomic<bool> napping_{false};
  std::atomic<std::int64_t> length_ns_{kBrief_ns};  // of the next nap
};

}  // namespace polder::device::wire
