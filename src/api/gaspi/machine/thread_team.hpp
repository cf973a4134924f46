// The threads of GASPI_Threads.h: a fixed number of places, numbers for those who register, and a barrier that can be
// given up and gone on with.
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace polder::gaspi {

class ThreadTeam : public std::enable_shared_from_this<ThreadTeam> {
 public:
  explicit ThreadTeam(unsigned total) : total_(total), taken_(total, false) {}

  unsigned total() const { return total_; }

  enum class Start { started, no_place, refused };  // refused: by the operating system
  Start start(void* (*function)(void*), void* argument);

  // The number of the calling thread; registers it where it has none. Nothing: all numbers are taken.
  std::optional<unsigned> enlist();
  std::optional<unsigned> own_number() const;
  // True for a thread that start() made.
  bool made_this_thread() const;

  // Waits for `total` threads; the last one calls `meeting`, and all return what it returned. GASPI_TIMEOUT: some did
  // not come in time, and this thread counts as not having come; or all have, and the last one is still in `meeting`:
  // what that returns this thread is told by its next call.
  gaspi_return_t meet(const Deadline& deadline, const std::function<gaspi_return_t()>& meeting);

  // Waits for the threads that start() made, those that are started meanwhile included.
  void join();

 private:
  struct Membership;
  struct Unheard;

  void run(void* (*function)(void*), void* argument);
  void end(const Membership& membership);
  bool wait_for_meeting(std::unique_lock<std::mutex>& lock, const Deadline& deadline, unsigned long meeting);

  static thread_local Membership membership_;
  static thread_local Unheard unheard_;

  const unsigned total_;
  std::mutex mutex_;
  std::vector<bool> taken_;           // by number
  std::vector<std::thread> threads_;  // all that were made
  unsigned running_ = 0;              // of those, how many have not ended

  std::condition_variable met_;
  unsigned arrived_ = 0;
  unsigned long meetings_ = 0;  // held so far
  gaspi_return_t outcome_ = GASPI_SUCCESS;
};

}  // namespace polder::gaspi
