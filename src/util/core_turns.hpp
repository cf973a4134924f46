// When threads of a job that share cores got theirs: so one whose yield came back late tells whether others of the job had the
// core meanwhile, each for a moment, or somebody had it for long.
#pragma once

#include "util/platform.hpp"

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <sched.h>

namespace polder::util {

// The begin of a thread's last turn on a core. In memory that those beside it read; all zeros: it has had none. Threads of one
// rank write the same one. Every access is relaxed: what is torn or lost costs one wrong guess.
struct CoreTurn {
  alignas(kCacheLine) std::atomic<std::int64_t> begin_ns{0};
  std::atomic<std::int32_t> core{0};
};

class CoreTurns {
 public:
  // Nobody says anything.
  CoreTurns() = default;
  // All of them must stay.
  CoreTurns(CoreTurn& own, std::vector<const CoreTurn*> others) : own_(&own), others_(std::move(others)) {}

  // The caller is back from a yield or a sleep.
  void begin(std::int64_t now) {
    if (own_ == nullptr) return;
    own_->core.store(sched_getcpu(), std::memory_order_relaxed);
    own_->begin_ns.store(now, std::memory_order_relaxed);
  }

  // The longest turn between two times on the core on which the caller's began: its own one at first, then those of the
  // others, as long as one follows the other. What somebody takes who says nothing counts as part of the turn before.
  // Cost: a cache line of each of the others.
  std::int64_t longest(std::int64_t from, std::int64_t to) const;
  // Whether another one had a turn on that core between two times; true where nobody says anything. Cost: likewise.
  bool any(std::int64_t from, std::int64_t to) const;

 private:
  // When that of another one began; 0: on another core.
  static std::int64_t begin_here(const CoreTurn& other, int core) {
    const std::int64_t begin = other.begin_ns.load(std::memory_order_relaxed);
    return other.core.load(std::memory_order_relaxed) == core ? begin : 0;
  }

  CoreTurn* own_ = nullptr;
  std::vector<const CoreTurn*> others_;
};

}  // namespace polder::util
