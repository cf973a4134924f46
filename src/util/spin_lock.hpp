// A lock between threads of one process that is held for tens of nanoseconds. Never placed in shared memory: a process
// that dies takes its locks with it.
#pragma once

#include "util/assert.hpp"
#include "util/platform.hpp"
#include "util/thread.hpp"
#include "util/thread_annotations.hpp"

#include <atomic>

namespace polder::util {

class POLDER_CAPABILITY("lock") SpinLock {
 public:
  void lock() POLDER_ACQUIRE() {
    for (int spins = 0; !try_lock(); ++spins) {
      // With more threads than cores the holder may not be running.
      if (spins < 100)
        cpu_relax();
      else
        yield_core();
    }
  }
  bool try_lock() POLDER_TRY_ACQUIRE(true) {
    // Looks before it writes: a core that only looks does not take the line away from the holder.
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() POLDER_RELEASE() {
    POLDER_ASSERT(held_.load(std::memory_order_relaxed));
    held_.store(false, std::memory_order_release);
  }

  // REQUIRES: somebody holds it, which is all that can be seen.
  void assert_held() const POLDER_ASSERT_CAPABILITY(this) { POLDER_ASSERT(held_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<bool> held_{false};
};

// Holds one to the end of the scope, or until unlock(). As std::unique_lock, which the compiler's analysis does not
// know.
class POLDER_SCOPED_CAPABILITY SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) POLDER_ACQUIRE(lock) : lock_(&lock) { lock.lock(); }
  ~SpinGuard() POLDER_RELEASE() {
    if (lock_ != nullptr) lock_->unlock();
  }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

  void unlock() POLDER_RELEASE() {
    lock_->unlock();
    lock_ = nullptr;
  }

 private:
  SpinLock* lock_;
};

}  // namespace polder::util
