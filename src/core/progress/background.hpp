// Work of modules above core that goes on whenever somebody makes progress: collectives that nobody waits for.
#pragma once

#include "util/assert.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace polder::core {

class Background {
 public:
  // Does what can be done at once, and returns how much that was. Called by one thread at a time.
  virtual int advance() = 0;

 protected:
  ~Background() = default;
};

// Thread safe.
class BackgroundList {
 public:
  // Waits for no work: what ends may be followed by what begins more, on this thread inside of its advance(), while other
  // threads that add hold locks which it needs.
  void add(Background& work) {
    std::lock_guard lock(adding_);
    added_.push_back(&work);
    has_added_.store(true, std::memory_order_relaxed);
  }
  // Not called any more when this returns. REQUIRES: not called by Background::advance().
  void remove(Background& work) {
    POLDER_ASSERT(inside_.load(std::memory_order_relaxed) != util::this_thread());  // it would wait for itself
    while (!enter()) util::yield_core();
    take_added();
    std::erase(list_, &work);
    leave();
  }

  // Those who have something to do say so, because everybody who waits asks.
  void begins() { busy_.fetch_add(1, std::memory_order_relaxed); }
  void ends() {
    [[maybe_unused]] const int before = busy_.fetch_sub(1, std::memory_order_relaxed);
    POLDER_ASSERT(before > 0);
  }
  bool any() const { return busy_.load(std::memory_order_relaxed) != 0; }

  // A thread that finds another one, or itself, inside returns at once.
  int advance() {
    if (!any() || !enter()) return 0;
    if (has_added_.load(std::memory_order_relaxed)) take_added();
    int done = 0;
    for (Background* work : list_) done += work->advance();
    leave();
    return done;
  }

 private:
  // REQUIRES: this thread is inside.
  void take_added() {
    std::lock_guard lock(adding_);
    list_.insert(list_.end(), added_.begin(), added_.end());
    added_.clear();
    has_added_.store(false, std::memory_order_relaxed);
  }

  bool enter() {
    const void* nobody = nullptr;
    return inside_.compare_exchange_strong(nobody, util::this_thread(), std::memory_order_acquire);
  }
  void leave() { inside_.store(nullptr, std::memory_order_release); }

  std::atomic<int> busy_{0};
  std::atomic<const void*> inside_{nullptr};  // the thread
  std::vector<Background*> list_;             // of who is inside
  std::mutex adding_;
  std::vector<Background*> added_;  // under adding_, since somebody was last inside
  std::atomic<bool> has_added_{false};
};

}  // namespace polder::core
