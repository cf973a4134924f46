// The naps of a helper beside threads of the program that poll: when it takes one, how long, and who wakes it early.
//
// A thread that polls says when it stops, because the helper may rely on it. Where several poll at once, only the last
// of them needs to say so, and one word for each nap is enough: more would be a system call each, from every thread at
// every short wait.
//
// Threads also say when they begin and end a wait in which they poll. Where ranks outnumber cores others have the core of such a thread
// for up to some ms, in which it does not poll; if the helper took over then it would want a core itself, find what the thread finds
// anyway, and keep it out meanwhile. So it keeps away as long as anybody is in such a wait, but for some ms at most without a poll: what
// is waited for may run functions of the program, which take as long as they take.
//
// A thread that polls now and then does not say when it stops, so naps are short enough for the helper to take over soon. But where
// ranks outnumber cores each end of a nap disturbs the scheduler far beyond the helper's own few us: with naps of 1 ms collectives of
// 8 bytes among four hosts on two cores took 1.1 to 1.4 times as long as without a helper. So where others have polled in nap after nap
// the next ones are longer, and a gap ends that.
#pragma once

#include "device/wire/state/footsteps.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <pthread.h>

namespace polder::device::wire {

// Thread safe; one thread at a time naps.
class Nap {
 public:
  static constexpr std::int64_t kLongest_ns = 1'000'000;  // between two looks at whether another thread still polls
  static constexpr std::int64_t kLongestAmidDense_ns = 8'000'000;  // where others have polled in all of them
  static constexpr std::int64_t kBrief_ns = 50'000;                // the first of them
  static constexpr std::int64_t kLongestSilence_ns =
      10'000'000;  // of threads in waits, that is taken for want of a core

  // ---- of threads that poll ----

  void polled() {
    polls_.step();
    const pthread_t me = ::pthread_self();
    if (last_poller_.load(std::memory_order_relaxed) != me) last_poller_.store(me, std::memory_order_relaxed);
    // One that had stopped is back, or another one is there: it says so in its turn.
    if (polling_ended_.load(std::memory_order_relaxed)) polling_ended_.store(false, std::memory_order_relaxed);
  }

  // The calling thread begins, or ends, a wait in which it polls again and again.
  void poll_in_wait(bool begins) { waiting_.fetch_add(begins ? 1 : -1, std::memory_order_seq_cst); }

  // This thread will not poll for a while, and has ended its wait. True: it must ring, for the helper naps, and nobody else has polled
  // since or is in a wait. Of two that leave at the same time one sees that the other one does not wait, or that it is to ring.
  bool stop_polling() {
    const pthread_t last = last_poller_.load(std::memory_order_seq_cst);
    if (last != ::pthread_self() && last != kNobody) return false;
    last_poller_.store(kNobody, std::memory_order_seq_cst);
    if (anybody_waits()) return false;
    polling_ended_.store(true, std::memory_order_seq_cst);
    return napping_.load(std::memory_order_seq_cst) && napping_.exchange(false, std::memory_order_seq_cst);
  }

  // No other thread is in a wait, and none has polled since this one did.
  bool polls_alone() const {
    return waiting_.load(std::memory_order_relaxed) <= 1 &&
           last_poller_.load(std::memory_order_relaxed) == ::pthread_self();
  }

  bool is_taken() const { return napping_.load(std::memory_order_relaxed); }

  // ---- of the helper ----

  // Another thread is in a wait, or has polled since the last call and has not said that it stopped: the helper keeps out of its way.
  // Who ends the last wait says that it stopped behind that, so what is taken back here before waits are counted was said by another one.
  bool others_poll() {
    const bool has_ended = polling_ended_.exchange(false, std::memory_order_seq_cst), have_polled = polls_.moved();
    if (have_polled) silent_ns_ = 0;
    const bool they_wait = anybody_waits() && silent_ns_ < kLongestSilence_ns;
    const bool they_poll = they_wait || (have_polled && !has_ended);
    if (they_poll) has_company_ = true;
    return they_poll;
  }

  // Nanoseconds of the next nap, at most `left`: twice as long each time. Another thread polls, or did so before the
  // helper slept, and a short one tells; or it sends a large transfer, and to wake again and again takes the core from
  // it.
  std::int64_t longer(std::int64_t left) {
    note_nap(has_company_.exchange(false));
    const std::int64_t length = length_ns_, nap = std::min(left, length);
    last_ns_ = nap;
    silent_ns_ += nap;
    length_ns_ = std::min(2 * length, dense_naps_ >= needed_naps_ ? kLongestAmidDense_ns : kLongest_ns);
    return nap;
  }
  void brief_again() {
    if (last_ns_.exchange(0) >= kTelling_ns) note_gap();
    length_ns_ = kBrief_ns;
  }

  // False: polling has ended meanwhile. Either the helper sees that here, or the thread that ends it sees the nap.
  bool begin() {
    napping_.store(true, std::memory_order_seq_cst);
    return !polling_ended_.load(std::memory_order_seq_cst);
  }
  void end() { napping_.store(false, std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kTelling_ns = kLongest_ns / 2;  // naps that tell whether anybody polls
  static constexpr unsigned kFewNaps = 4, kManyNaps = 64;       // dense ones in front of longer ones, and behind a gap

  bool anybody_waits() const { return waiting_.load(std::memory_order_seq_cst) > 0; }

  void note_nap(bool has_company) {
    if (last_ns_ < kTelling_ns) return;
    if (!has_company) return note_gap();
    ++dense_naps_;
  }
  void note_gap() {
    dense_naps_ = 0;
    needed_naps_ = kManyNaps;
    length_ns_ = std::min<std::int64_t>(length_ns_, kLongest_ns);
  }

  Footsteps polls_;
  std::atomic<int> waiting_{0};  // threads
  static constexpr pthread_t kNobody{};
  std::atomic<pthread_t> last_poller_{kNobody};
  std::atomic<bool> polling_ended_{false};
  std::atomic<bool> napping_{false};
  // Of the helper. Where there is none, several threads that sleep may be here: updates that are lost do no harm.
  std::atomic<std::int64_t> length_ns_{kBrief_ns};  // of the next nap
  std::atomic<std::int64_t> last_ns_{0};            // of the last one; 0: it did not nap
  std::atomic<std::int64_t> silent_ns_{0};          // of naps, since the last poll
  std::atomic<bool> has_company_{false};            // others have polled since that began
  std::atomic<unsigned> dense_naps_{0}, needed_naps_{kFewNaps};
};

}  // namespace polder::device::wire
