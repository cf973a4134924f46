// Bells that answers of peers ring: always that of completions, and those of threads which wait for answers and for
// something else at once. A thread can sleep on one bell only; it sleeps on the other's and says so here.
#pragma once

#include "util/bell.hpp"
#include "util/mutex.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace polder::core {

// Thread safe.
class AnswerBells {
 public:
  explicit AnswerBells(util::Bell& completions) : completions_(completions) {}

  // While it lives, answers ring `bell`, too. It is made before the first look at what has been answered. The bell must
  // outlive it.
  class Listener {
   public:
    Listener(AnswerBells& bells, util::Bell& bell) : bells_(bells), bell_(bell) {
      std::lock_guard lock(bells_.mutex_);
      bells_.others_.push_back(&bell_);
    }
    ~Listener() {
      std::lock_guard lock(bells_.mutex_);
      bells_.others_.erase(std::find(bells_.others_.begin(), bells_.others_.end(), &bell_));
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    AnswerBells& bells_;
    util::Bell& bell_;
  };

  // Call after the answer has been stored.
  void ring() {
    completions_.ring();
    std::lock_guard lock(mutex_);
    for (util::Bell* other : others_) other->ring();
  }

 private:
  util::Bell& completions_;
  util::Mutex mutex_;
  std::vector<util::Bell*> others_;
};

}  // namespace polder::core
