// Bells of threads that wait for a word of memory, which changes without ringing: whoever has served something from the
// network rings them.
#pragma once

#include "util/bell.hpp"
#include "util/mutex.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace polder::core {

// Thread safe. Ringing costs a fence and a load where nobody waits.
class Arrivals {
 public:
  // While it lives, arrivals ring `bell`, which must outlive it. It is made before the first look at the word.
  class Listener {
   public:
    Listener(Arrivals& arrivals, util::Bell& bell) : arrivals_(arrivals), bell_(bell) {
      std::lock_guard lock(arrivals_.mutex_);
      arrivals_.bells_.push_back(&bell_);
      arrivals_.listeners_.fetch_add(1, std::memory_order_seq_cst);
    }
    ~Listener() {
      std::lock_guard lock(arrivals_.mutex_);
      arrivals_.listeners_.fetch_sub(1, std::memory_order_relaxed);
      arrivals_.bells_.erase(std::find(arrivals_.bells_.begin(), arrivals_.bells_.end(), &bell_));
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    Arrivals& arrivals_;
    util::Bell& bell_;
  };

  // Call after something has been served.
  void ring() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (listeners_.load(std::memory_order_relaxed) == 0) [[likely]]
      return;
    std::lock_guard lock(mutex_);
    for (util::Bell* bell : bells_) bell->ring();
  }

 private:
  std::atomic<int> listeners_{0};
  util::Mutex mutex_;
  std::vector<util::Bell*> bells_;
};

}  // namespace polder::core
