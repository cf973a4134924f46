// At most one thread at a time, and nobody waits: the second is told that it is second.
#pragma once

#include <atomic>

namespace polder::api {

class Exclusive {
 public:
  explicit Exclusive(std::atomic<bool>& taken)
      : taken_(taken), mine_(!taken.exchange(true, std::memory_order_acquire)) {}
  ~Exclusive() {
    if (mine_) taken_.store(false, std::memory_order_release);
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  bool mine() const { return mine_; }

 private:
  std::atomic<bool>& taken_;
  bool mine_;
};

}  // namespace polder::api
