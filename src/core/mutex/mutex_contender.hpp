// A thread that found a mutex taken.
#pragma once

#include "core/mutex/mutex_memory.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>

namespace polder::core {

class MutexContender {
 public:
  MutexContender(MutexMemory& memory, const FoundMutex& mutex) : memory_(memory), mutex_(mutex) {}

  // As lock(), from the moment when `word` was found in it.
  Status run(MutexWord word, Timeout timeout);

 private:
  MutexWord watch(MutexWord word) const;
  Result<bool> seize(MutexWord& word, Status& outcome);
  Result<bool> settle(MutexWord& word, Status& outcome);
  Result<MutexWord> announce();
  Result<MutexWord> add_announcement();
  Result<MutexWord> leave_set(bool tell);
  Status await_turn(MutexWord word, std::uint32_t seen, Timeout timeout);
  GlobalAddress my_bits() const;
  std::uint64_t my_bit() const;

  MutexMemory& memory_;
  const FoundMutex& mutex_;
  bool announced_ = false;
};

}  // namespace polder::core
