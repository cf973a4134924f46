#include "util/thread.hpp"

#include "util/fibres.hpp"

#include <utility>

#include <pthread.h>
#include <sched.h>

namespace polder::util {

Thread::Thread(Clock clock, std::string name, std::function<void()> body) : time_(clock.simulated()) {
  if (time_ != nullptr) {
    task_ = time_->start(std::move(name), std::move(body));
    return;
  }
  thread_ = std::thread([name = std::move(name), body = std::move(body)] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    body();
  });
}

void Thread::join() {
  if (task_ == nullptr) return thread_.get_id() == std::this_thread::get_id() ? thread_.detach() : thread_.join();
  time_->join(*task_);
  task_ = nullptr;
}

const void* this_thread() {
  static constinit thread_local char t_token = 0;
  if (const Fibres* machine = Fibres::here()) return machine->running();
  return &t_token;
}

void yield_core() {
  if (Fibres* machine = Fibres::here())
    machine->yield();
  else
    sched_yield();
}

}  // namespace polder::util
