// Whether somebody went by since one looked last, and how often.
#pragma once

#include <atomic>
#include <cstdint>

namespace polder::device::wire {

// Any number of threads walk, one looks. A lost step does no harm where others follow.
class Footsteps {
 public:
  void step() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  // Since the last call of either.
  std::uint32_t steps() {
    const std::uint32_t now = count_.load(std::memory_order_relaxed);
    return now - seen_.exchange(now, std::memory_order_relaxed);
  }
  bool moved() { return steps() != 0; }

 private:
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> seen_{0};
};

}  // namespace polder::device::wire
