// Which functions run under the lock of a device, told to the compiler (util/thread_annotations.hpp).
//
// The lock is a member of what all parts of a device share (state/wire_state.hpp), and to clang's analysis it would be another lock in each
// part that reaches it by a reference of its own. So what needs it names no lock but a *role*: the thread that holds the lock of a
// device is its worker, functions that are called under the lock REQUIRE kWorker, and members are GUARDED_BY it. The role costs
// neither memory nor time. It is one for all devices of a process; no part knows any device but its own.
#pragma once

#include "util/spin_lock.hpp"
#include "util/thread_annotations.hpp"

namespace polder::device::wire {

class POLDER_CAPABILITY("role") WorkerRole {};
inline constexpr WorkerRole kWorker{};

// The lock of a device. Only here the role is given without a check.
class WorkerLock {
 public:
  void lock() POLDER_ACQUIRE(kWorker) POLDER_UNCHECKED_LOCKS { lock_.lock(); }
  bool try_lock() POLDER_TRY_ACQUIRE(true, kWorker) POLDER_UNCHECKED_LOCKS { return lock_.try_lock(); }
  void unlock() POLDER_RELEASE(kWorker) POLDER_UNCHECKED_LOCKS { lock_.unlock(); }
  // For the beginning of a lambda that runs under it.
  void assert_held() const POLDER_ASSERT_CAPABILITY(kWorker) POLDER_UNCHECKED_LOCKS { lock_.assert_held(); }

 private:
  util::SpinLock lock_;
};

}  // namespace polder::device::wire
