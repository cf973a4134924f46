// Which mutexes threads of this rank hold, so that one that locks what it holds is told instead of waiting for itself.
#pragma once

#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace polder::armci {

// Any thread.
class HeldMutexes {
 public:
  bool held_by_this_thread(int mutex, int proc) {
    const std::lock_guard lock(mutex_);
    const auto found = holders_.find({proc, mutex});
    return found != holders_.end() && found->second == std::this_thread::get_id();
  }
  void add(int mutex, int proc) {
    const std::lock_guard lock(mutex_);
    holders_[{proc, mutex}] = std::this_thread::get_id();
  }
  // Any thread of a rank may unlock.
  void remove(int mutex, int proc) {
    const std::lock_guard lock(mutex_);
    holders_.erase({proc, mutex});
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    holders_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::thread::id> holders_;
};

}  // namespace polder::armci
