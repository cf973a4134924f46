// Mutexes in the memory of their ranks, taken and handed on by atomics.
//
// Who finds the mutex taken enters itself in the set and then *announces* that by adding 1 to the word. Whoever unlocks
// replaces exactly the word that it knows, so it notices every announcement and looks into the set before it goes. The
// set and the word are all there is: a rank that dies leaves a bit, which others skip, or its number in the word, which
// the next one replaces by its own. Locking and unlocking are one atomic each while nobody waits; handing over takes
// two, a look at the set, and a flag at the successor.
#pragma once

#include "core/mutex/mutex_memory.hpp"
#include "util/deadline.hpp"

#include <polder/mutex.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace polder::core {

class MutexesState {
 public:
  static Result<std::unique_ptr<Mutexes>> make(const GroupPorts& ports, Group& group, std::size_t count,
                                               Timeout timeout);
  MutexesState(const GroupPorts& ports, Group& group, std::unique_ptr<Allocation> memory)
      : memory_(ports, group, std::move(memory)) {}

  Status lock(MutexName which, Timeout timeout);
  Status unlock(MutexName which, Timeout timeout);
  std::size_t count(Rank rank) const { return memory_.count(rank); }
  Status destroy(Timeout timeout) { return memory_.destroy(timeout); }

 private:
  Status lock_untraced(MutexName which, Timeout timeout);
  Status unlock_untraced(MutexName which, Timeout timeout);
  Status lock_locally(const FoundMutex& mutex, Timeout timeout);
  void unlock_locally(const FoundMutex& mutex);
  Status hand_on(const FoundMutex& mutex, MutexWord now, const util::Deadline& deadline);
  Result<std::optional<std::size_t>> successor(const FoundMutex& mutex);
  Result<std::optional<std::size_t>> waiting_in(const FoundMutex& mutex, std::size_t begin, std::size_t end);
  void wake(std::size_t member, Timeout timeout);
  const GroupPorts& ports() const { return memory_.ports(); }

  MutexMemory memory_;
};

}  // namespace polder::core
