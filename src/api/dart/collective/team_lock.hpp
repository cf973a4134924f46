// A lock of a team, which excludes units and, inside of a unit, threads.
#pragma once

#include <polder/mutex.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace polder::dart {

// Thread safe, except end() and destroy(), which come when nobody uses it any more.
class TeamLock {
 public:
  // `home`: the rank that holds the word.
  TeamLock(std::unique_ptr<Mutexes> mutexes, Rank home) : mutexes_(std::move(mutexes)), home_(home) {}

  // invalid_argument: this thread holds it already, or its team has gone.
  Status acquire();
  // timeout: another has it.
  Status try_acquire();
  // invalid_argument: this thread does not hold it.
  Status release();

  // Frees it at this unit: the team goes.
  void end() { mutexes_.reset(); }
  // Collective; nothing happens after end().
  Status destroy();
  bool alive() const { return mutexes_ != nullptr; }

 private:
  bool mine() const { return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  Status take(Timeout timeout);

  std::unique_ptr<Mutexes> mutexes_;
  const Rank home_;
  std::mutex inside_;  // of the threads of this unit, only one asks the others
  std::atomic<std::thread::id> holder_{};
};

}  // namespace polder::dart
