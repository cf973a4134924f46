// Locks between threads that are also locks between fibres: a fibre that finds one taken lets the others run, where a
// std::mutex would stop the thread that all of them share. The price of a std::mutex.
#pragma once

#include "util/assert.hpp"
#include "util/thread.hpp"

#include <atomic>
#include <mutex>

namespace polder::util {

class Mutex {
 public:
  void lock() {
    if (!mutex_.try_lock()) [[unlikely]]
      lock_slowly();
    held_.store(true, std::memory_order_relaxed);
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    held_.store(true, std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    assert_held();
    held_.store(false, std::memory_order_relaxed);
    mutex_.unlock();
  }

  // REQUIRES: somebody holds it, which is all that can be seen.
  void assert_held() const { POLDER_ASSERT(held_.load(std::memory_order_relaxed)); }

 private:
  void lock_slowly();

  std::mutex mutex_;
  std::atomic<bool> held_{false};  // for assertions
};

// Its holder may lock it again.
class RecursiveMutex {
 public:
  void lock() {
    if (is_mine()) {
      ++depth_;
      return;
    }
    mutex_.lock();
    taken();
  }
  bool try_lock() {
    if (is_mine()) return ++depth_, true;
    if (!mutex_.try_lock()) return false;
    taken();
    return true;
  }
  void unlock() {
    POLDER_ASSERT(is_mine() && depth_ > 0);
    if (--depth_ != 0) return;
    holder_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  bool is_mine() const { return holder_.load(std::memory_order_relaxed) == this_thread(); }
  void taken() {
    holder_.store(this_thread(), std::memory_order_relaxed);
    depth_ = 1;
  }

  Mutex mutex_;
  std::atomic<const void*> holder_{nullptr};
  int depth_ = 0;  // of the holder
};

}  // namespace polder::util
