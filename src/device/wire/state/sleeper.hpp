// How the thread that waits for the network spends its time: it polls while something is near, naps where another
// thread polls anyway, and else sleeps until the network or wake() calls it.
//
//   - Where another thread polls, or is inside, this one would only be in its way. It naps, first briefly, because it cannot tell
//     polls of now from those made before it slept, then twice as long each time: each end of a nap takes a core from somebody.
//   - A thread that has polled and stops says so (stop_polling), which ends a nap.
//   - In the middle of a large transfer the next part is near: to sleep and be woken takes longer than the part.
#pragma once

#include "device/device.hpp"
#include "device/wire/state/footsteps.hpp"
#include "device/wire/state/nap.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace polder::device::wire {

class Sleeper {
 public:
  // What there is to wait for.
  class Network {
   public:
    // no: there is something to do; occupied: another thread is inside.
    enum class Armed { yes, no, occupied };

    // Something has come that turn() does not tell of.
    virtual bool pending() = 0;
    // One thread's share of the work. Returns how much came of it.
    virtual int turn() = 0;
    virtual void look_after_peers() = 0;
    // From now on event_fd() becomes readable when something comes.
    virtual Armed arm() = 0;
    // Nobody sleeps by that event any more.
    virtual void disarm() = 0;
    virtual int event_fd() = 0;
    // Something has been left to whoever looks next.
    virtual bool unsent() = 0;

   protected:
    ~Network() = default;
  };

  // system: the kernel has no descriptor for it.
  Status open();

  // Until something has come, wake() was called, or `nanoseconds` have passed.
  void wait(Network& network, std::int64_t nanoseconds);

  // ---- any thread ----

  // Ends the wait of the thread that is in it, or the next one.
  void wake();
  // The calling thread polls; counts unless it is the one that waits.
  void note_poll();
  // It begins, or ends, a wait in which it does so again and again.
  void poll_in_wait(bool begins) { nap_.poll_in_wait(begins); }
  // Within that wait, until something has come, or `nanoseconds` have passed. REQUIRES: the calling thread has polled.
  SleptInWait sleep_in_wait(Network& network, std::int64_t nanoseconds);
  void stop_polling();
  // No thread sleeps until something comes: what is left to whoever looks next needs no wake. To be asked behind leaving it: a
  // thread that goes to sleep meanwhile either counts here or finds it unsent.
  bool looks_soon() const {
    if (sleepers_in_waits_.load(std::memory_order_seq_cst) != 0) return false;
    return sleepers_.load(std::memory_order_seq_cst) == 0 || nap_.is_taken();
  }
  // A part of a large transfer has come; `more`: another one follows it.
  void note_part_come(bool more) {
    parts_come_.step();
    more_parts_.store(more, std::memory_order_relaxed);
  }

 private:
  bool is_waiter() const { return waiter_.load(std::memory_order_relaxed) == ::pthread_self(); }
  int follow_stream(Network& network, bool& others_poll);
  void nap(std::int64_t nanoseconds);
  void sleep_until_event(Network& network, std::int64_t nanoseconds);
  template <class Over>
  void sleep(std::int64_t nanoseconds, int event_fd, Over&& over);
  void ring();

  util::Fd wake_fd_;
  std::atomic<bool> woken_{false};
  std::atomic<int> sleepers_{0};
  std::atomic<int> sleepers_in_waits_{0};
  std::atomic<pthread_t> waiter_{};  // the thread that called wait() last
  Nap nap_;
  Footsteps parts_come_;
  std::atomic<bool> more_parts_{false};
};

}  // namespace polder::device::wire
