// A lock between threads of one process that is held for tens of nanoseconds. Never placed in shared memory: a process
// that dies takes its locks with it.
#pragma once

#include "util/platform.hpp"

#include <atomic>

#include <sched.h>

namespace polder::util {

class SpinLock {
 public:
  void lock() {
    for (int spins = 0; !try_lock(); ++spins) {
      // With more threads than cores the holder may not be running.
      if (spins < 100)
        cpu_relax();
      else
        sched_yield();
    }
  }
  bool try_lock() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace polder::util
