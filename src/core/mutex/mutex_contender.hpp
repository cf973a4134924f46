// A thread that found a mutex taken.
#pragma once

#include "core/mutex/mutexes_state.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>

namespace polder::core {

class MutexesState::Contender {
 public:
  Contender(MutexesState& mutexes, const Mutex& mutex) : mutexes_(mutexes), mutex_(mutex) {}

  // As lock(), from the moment when `word` was found in it.
  Status run(Word word, Timeout timeout);

 private:
  Word watch(Word word) const;
  Result<bool> seize(Word& word, Status& outcome);
  Result<bool> settle(Word& word, Status& outcome);
  Result<Word> announce();
  Result<Word> add_announcement();
  Result<Word> leave_set(bool tell);
  Status await_turn(Word word, std::uint32_t seen, Timeout timeout);
  GlobalAddress my_bits() const;
  std::uint64_t my_bit() const;

  MutexesState& mutexes_;
  const Mutex& mutex_;
  bool announced_ = false;
};

}  // namespace polder::core
