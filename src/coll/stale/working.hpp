// Held by the one thread that goes on with an object: that of its user, or one that makes progress.
#pragma once

#include "util/thread.hpp"

#include <atomic>

namespace polder::coll {

class Working {
 public:
  explicit Working(std::atomic<bool>& flag) : flag_(flag) {
    while (flag_.exchange(true, std::memory_order_acquire)) util::yield_core();
  }
  ~Working() { flag_.store(false, std::memory_order_release); }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace polder::coll
