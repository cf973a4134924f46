// A bell wakes those who sleep until something changes. It lies in shared memory; ringing it when nobody sleeps costs
// one fence and one load.
#pragma once

#include "util/assert.hpp"
#include "util/futex.hpp"

#include <atomic>
#include <climits>
#include <cstdint>

namespace polder::util {

// All zeros is a valid bell, so it needs no constructor in fresh shared memory. A rank that dies in its sleep leaves
// `sleepers` one too high: ringing costs a system call then, and nothing is lost.
struct Bell {
  std::atomic<std::uint32_t> rings{0};
  std::atomic<std::uint32_t> sleepers{0};

  // Call after the change that sleepers wait for has been stored.
  void ring() {
    // The change must be visible before `sleepers` is read, or a sleeper that is just lying down misses both.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

  // Sleeps until the bell rings after `before`, the value that listen() gave, or `nanoseconds` have passed.
  void sleep(std::uint32_t before, std::int64_t nanoseconds) { futex_wait(rings, before, nanoseconds); }

  // Usage: Listener l(bell); if (!condition) bell.sleep(l.before(), ns); the condition is checked once more after lying
  // down.
  class Listener {
   public:
    explicit Listener(Bell& bell) : bell_(bell) {
      bell_.sleepers.fetch_add(1, std::memory_order_seq_cst);
      before_ = bell_.rings.load(std::memory_order_seq_cst);
    }
    ~Listener() {
      [[maybe_unused]] const std::uint32_t before = bell_.sleepers.fetch_sub(1, std::memory_order_relaxed);
      POLDER_ASSERT(before != 0);  // a rank that dies leaves it too high, nobody too low
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Whether the bell has rung since.
    bool sleep(std::int64_t nanoseconds) {
      bell_.sleep(before_, nanoseconds);
      return bell_.rings.load(std::memory_order_relaxed) != before_;
    }

   private:
    Bell& bell_;
    std::uint32_t before_;
  };

 private:
  void wake() {
    rings.fetch_add(1, std::memory_order_seq_cst);
    futex_wake(rings, INT_MAX);
  }
};

static_assert(sizeof(Bell) == 8);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace polder::util
