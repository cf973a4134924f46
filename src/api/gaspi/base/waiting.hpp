// Which threads of the program are inside a call that waits: the process must not take its context away under them.
// Some of these calls, endable ones, wait for what may never come, and gaspi_proc_term ends them.
//
// Each thread counts in a word of its own, so that a call costs two stores and no atomic operation; whoever wants the
// sum goes through all threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace polder::gaspi {

// A notification of this rank that a thread waits for: the first of its range.
struct AwaitedFlag {
  std::uint32_t segment = kNone;
  std::uint32_t id = 0;

  static constexpr std::uint32_t kNone = ~0u;
};

struct WaitingThread {
  std::atomic<int> calls{0};  // more than one for a signal handler that has interrupted one
  std::atomic<int> endable{0};
  std::atomic<AwaitedFlag> flag{AwaitedFlag{}};
  bool listed = false;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local WaitingThread waiting_here;

// Lists the calling thread until it ends. Allocates in the first call of each thread.
void list_waiting_here();

// Whether any thread other than the calling one is in such a call. One that is just about to begin one is not seen.
bool others_waiting();
// Whether another thread is in a call that has to come to its end by itself.
bool others_busy();

// Those that threads wait for now.
std::vector<AwaitedFlag> awaited_flags();

// Held by a call that waits.
class Waiting {
 public:
  Waiting() : Waiting(waiting_here.calls) {}
  ~Waiting() { add(-1); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 protected:
  explicit Waiting(std::atomic<int>& calls) : calls_(calls) {
    if (!waiting_here.listed) [[unlikely]]
      list_waiting_here();
    add(1);
  }

 private:
  void add(int calls) { calls_.store(calls_.load(std::memory_order_relaxed) + calls, std::memory_order_release); }

  std::atomic<int>& calls_;
};

// Held by a call that asks Context::ends() when it is woken.
class EndableWaiting : public Waiting {
 public:
  EndableWaiting() : Waiting(waiting_here.endable) {}
};

// Likewise; raising the flag wakes it.
class FlagWaiting : public EndableWaiting {
 public:
  explicit FlagWaiting(AwaitedFlag flag) : before_(waiting_here.flag.load(std::memory_order_relaxed)) {
    waiting_here.flag.store(flag, std::memory_order_release);
  }
  ~FlagWaiting() { waiting_here.flag.store(before_, std::memory_order_release); }
  FlagWaiting(const FlagWaiting&) = delete;
  FlagWaiting& operator=(const FlagWaiting&) = delete;

 private:
  const AwaitedFlag before_;  // of a call that a handler of signals has interrupted
};

}  // namespace polder::gaspi
