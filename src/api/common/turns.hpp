// One thread at a time, the others wait for their turn: for what a standard lets only one thread of a rank do, and
// programs do with several.
#pragma once

#include "api/common/deadline.hpp"

#include <condition_variable>
#include <mutex>

namespace polder::api {

// Thread safe. Not to be taken again by the thread that has it, not even in a handler of signals.
class Turns {
 public:
  // False: another thread had it for all the time.
  bool take(const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    while (taken_ && !deadline.over()) {
      if (deadline.left().is_block()) {
        given_.wait(lock);
      } else {
        given_.wait_until(lock, deadline.end());
      }
    }
    if (taken_) return false;
    return taken_ = true;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
    given_.notify_one();
  }
  bool taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable given_;
  bool taken_ = false;
};

// A turn for as long as this lives.
class Turn {
 public:
  Turn(Turns& turns, const Deadline& deadline) : turns_(turns), mine_(turns.take(deadline)) {}
  ~Turn() {
    if (mine_) turns_.give();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool mine() const { return mine_; }

 private:
  Turns& turns_;
  const bool mine_;
};

}  // namespace polder::api
