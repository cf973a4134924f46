// Threads, and fibres where a simulation stands in for the machine.
#pragma once

#include "util/clock.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace polder::util {

// A helper that runs `body` beside its owner: a thread, or in virtual time a fibre. Join it before it is destroyed.
class Thread {
 public:
  Thread() = default;
  // `name`: for people who look at the process; at most 15 characters of it.
  Thread(Clock clock, std::string name, std::function<void()> body);

  bool joinable() const { return thread_.joinable() || task_ != nullptr; }
  // By the thread itself, in the midst of which the process ends (exit() in a handler), it lets it go: the call that it
  // is in never returns, so nobody can wait for it.
  void join();

 private:
  std::thread thread_;
  VirtualTime* time_ = nullptr;
  std::shared_ptr<VirtualTime::Task> task_;
};

// Tells the threads, and fibres, of this process apart, as long as they live. Never null.
const void* this_thread();

// Leaves the core to somebody else for a moment.
void yield_core();

}  // namespace polder::util
