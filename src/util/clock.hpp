// Time as a part that is handed in: the machine's, or that of a simulation.
//
// Whoever reads the time, pins a deadline or waits has a Clock, which it was given when it was made. A Clock is one
// pointer: copy it. The machine's costs a predictable branch more than clock_gettime itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <time.h>

namespace polder::util {

// Nanoseconds of the monotonic clock; the same clock in every process of the machine. For what no simulation runs;
// everything else has a Clock.
inline std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// The same clock as of the kernel's last tick: up to 10 ms behind, and a quarter of the price.
inline std::int64_t coarse_now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Time that a simulation makes: it stands still while anybody computes. With it come the other things that a program
// has from its machine and that must not differ from run to run: chance, and threads.
class VirtualTime {
 public:
  virtual std::int64_t now_ns() const = 0;

  // The next number of the sequence that the simulation's seed draws.
  virtual std::uint64_t draw() = 0;

  // Runs `body` beside its caller, as a thread would. The task is over when join() returns; join it or lose it.
  class Task;
  virtual std::shared_ptr<Task> start(std::string name, std::function<void()> body) = 0;
  virtual void join(Task& task) = 0;

 protected:
  ~VirtualTime() = default;
};

class Clock {
 public:
  Clock() = default;  // the machine's
  explicit Clock(VirtualTime& time) : virtual_(&time) {}

  std::int64_t now_ns() const { return virtual_ == nullptr ? util::now_ns() : virtual_->now_ns(); }

  // Up to 10 ms behind, and a quarter of the price; exact where a simulation makes the time.
  std::int64_t coarse_now_ns() const { return virtual_ == nullptr ? util::coarse_now_ns() : virtual_->now_ns(); }

  // Not null: a simulation makes this time.
  VirtualTime* simulated() const { return virtual_; }

 private:
  VirtualTime* virtual_ = nullptr;
};

}  // namespace polder::util
