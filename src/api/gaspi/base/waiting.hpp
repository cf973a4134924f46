// Which threads of the program are inside a call that waits: the process must not take its context away under them.
//
// Each thread counts in a word of its own, so that a call costs two stores and no atomic operation; whoever wants the
// sum goes through all threads.
#pragma once

#include <atomic>

namespace polder::gaspi {

struct WaitingThread {
  std::atomic<int> calls{0};  // more than one for a signal handler that has interrupted one
  bool listed = false;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local WaitingThread waiting_here;

// Lists the calling thread until it ends. Allocates in the first call of each thread.
void list_waiting_here();

// Whether any thread is in such a call; any other than the calling one. A thread that is just about to begin one is
// not seen.
bool any_waiting();
bool others_waiting();

// Held by a call that waits.
class Waiting {
 public:
  Waiting() {
    if (!waiting_here.listed) [[unlikely]]
      list_waiting_here();
    add(1);
  }
  ~Waiting() { add(-1); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  static void add(int calls) {
    waiting_here.calls.store(waiting_here.calls.load(std::memory_order_relaxed) + calls, std::memory_order_release);
  }
};

}  // namespace polder::gaspi
