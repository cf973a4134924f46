#include "trace/record/recorder_use.hpp"

#include "util/thread.hpp"

#include <polder/trace_door.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace polder::trace {
namespace {

// A hazard pointer (Michael 2004) of each thread. Its store must be seen before the second look at door_recorder; the
// fence for that is paid by who withdraws the recorder, with membarrier(), and not by each call.
struct Here {
  std::atomic<const Recorder*> uses{nullptr};
  bool listed = false;
};
constinit thread_local Here here;

class Users {
 public:
  Users() { (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0); }

  void add(Here& thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(&thread);
  }
  void remove(Here& thread) {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, &thread);
  }
  bool any(const Recorder& recorder) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        threads_, [&](const Here* thread) { return thread->uses.load(std::memory_order_acquire) == &recorder; });
  }

 private:
  std::mutex mutex_;
  std::vector<Here*> threads_;
};

// Never destroyed: threads end, and call, until the very end of the process.
Users& users() {
  static Users* const all = new Users;
  return *all;
}

struct Listed {
  Listed() { users().add(here); }
  ~Listed() {
    users().remove(here);
    here.listed = false;
  }
};

void list_here() {
  thread_local Listed listed;
  here.listed = true;
}

void fence_everywhere() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
  // Where that is forbidden: a store is seen long before a tick of the kernel's clock is over.
  const timespec nap{0, 20'000'000};
  nanosleep(&nap, nullptr);
}

}  // namespace

RecorderUse::RecorderUse(const Recorder* wanted) : before_(here.uses.load(std::memory_order_relaxed)) {
  Recorder* const found = door_recorder.load(std::memory_order_acquire);
  if (found == nullptr || (wanted != nullptr && found != wanted)) return;
  if (!here.listed) [[unlikely]]
    list_here();
  here.uses.store(found, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (door_recorder.load(std::memory_order_acquire) == found)
    recorder_ = found;
  else
    here.uses.store(before_, std::memory_order_release);
}

RecorderUse::~RecorderUse() {
  if (recorder_ != nullptr) here.uses.store(before_, std::memory_order_release);
}

void wait_for_users(const Recorder& recorder) {
  fence_everywhere();
  while (users().any(recorder)) util::yield_core();
}

}  // namespace polder::trace
