// Held by the one thread of a rank that runs a collective of a kind.
#pragma once

#include <polder/status.hpp>

#include <atomic>
#include <string>

namespace polder::core {

class Busy {
 public:
  explicit Busy(std::atomic<bool>& flag) : flag_(flag), mine_(!flag.exchange(true, std::memory_order_acquire)) {}
  ~Busy() {
    if (mine_) flag_.store(false, std::memory_order_release);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  bool mine() const { return mine_; }

 private:
  std::atomic<bool>& flag_;
  bool mine_;
};

inline Status busy(const char* what) {
  return {Code::busy, std::string("another thread of this rank is in a ") + what + " of this group"};
}

}  // namespace polder::core
