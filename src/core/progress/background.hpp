// Work of modules above core that goes on whenever somebody makes progress: collectives that nobody waits for.
#pragma once

#include "util/assert.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <atomic>
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
  // REQUIRES for both: not called by Background::advance().
  void add(Background& work) {
    const Inside inside(*this);
    list_.push_back(&work);
  }
  // Not called any more when this returns.
  void remove(Background& work) {
    const Inside inside(*this);
    std::erase(list_, &work);
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
    int done = 0;
    for (Background* work : list_) done += work->advance();
    leave();
    return done;
  }

 private:
  struct Inside {
    explicit Inside(BackgroundList& l) : list(l) {
      POLDER_ASSERT(list.inside_.load(std::memory_order_relaxed) != util::this_thread());  // it would wait for itself
      while (!list.enter()) util::yield_core();
    }
    ~Inside() { list.leave(); }
    BackgroundList& list;
  };

  bool enter() {
    const void* nobody = nullptr;
    return inside_.compare_exchange_strong(nobody, util::this_thread(), std::memory_order_acquire);
  }
  void leave() { inside_.store(nullptr, std::memory_order_release); }

  std::atomic<int> busy_{0};
  std::atomic<const void*> inside_{nullptr};  // the thread
  std::vector<Background*> list_;
};

}  // namespace polder::core
