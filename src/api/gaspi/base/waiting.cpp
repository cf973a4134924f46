#include "api/gaspi/base/waiting.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace polder::gaspi {
namespace {

class WaitingThreads {
 public:
  void add(WaitingThread& thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(&thread);
  }
  void remove(WaitingThread& thread) {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, &thread);
  }
  template <class Condition>
  bool any_but_here(Condition condition) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(threads_, [&, here = &waiting_here](const WaitingThread* thread) {
      return thread != here && condition(*thread);
    });
  }

  std::vector<AwaitedFlag> flags() {
    const std::lock_guard lock(mutex_);
    std::vector<AwaitedFlag> flags;
    for (const WaitingThread* thread : threads_) {
      const AwaitedFlag flag = thread->flag.load(std::memory_order_acquire);
      if (flag.segment != AwaitedFlag::kNone) flags.push_back(flag);
    }
    return flags;
  }

 private:
  std::mutex mutex_;
  std::vector<WaitingThread*> threads_;
};

// Never destroyed: threads end, and call, until the very end of the process.
WaitingThreads& threads() {
  static WaitingThreads* const threads = new WaitingThreads;
  return *threads;
}

bool is_busy(const WaitingThread& thread) {
  return thread.calls.load(std::memory_order_acquire) != 0;
}

bool is_waiting(const WaitingThread& thread) {
  return is_busy(thread) || thread.endable.load(std::memory_order_acquire) != 0;
}

struct Listed {
  Listed() { threads().add(waiting_here); }
  ~Listed() {
    threads().remove(waiting_here);
    waiting_here.listed = false;
  }
};

}  // namespace

static_assert(std::atomic<AwaitedFlag>::is_always_lock_free);
constinit thread_local WaitingThread waiting_here;

void list_waiting_here() {
  // A call that comes after the end of this one, from the destructor of another object of the thread, is not seen.
  thread_local Listed listed;
  waiting_here.listed = true;
}

bool others_waiting() {
  return threads().any_but_here(is_waiting);
}

std::vector<AwaitedFlag> awaited_flags() {
  return threads().flags();
}

bool others_busy() {
  return threads().any_but_here(is_busy);
}

}  // namespace polder::gaspi
