// Locks between threads that are also locks between fibres: a fibre that finds one taken lets the others run, where a
// std::mutex would stop the thread that all of them share. The price of a std::mutex.
#pragma once

#include "util/thread.hpp"

#include <atomic>
#include <mutex>

namespace polder::util {

class Mutex {
 public:
  void lock() {
    if (!mutex_.try_lock()) [[unlikely]]
      lock_slowly();
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void lock_slowly();

  std::mutex mutex_;
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
