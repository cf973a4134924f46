// Counts operations under way, so that "all that began before now" can be awaited while others begin.
//
// Two counters, of which new operations use one; who waits makes the other one current as soon as that is empty, and so
// in turn. (The idea of sleepable RCU, McKenney 2006.) Entering and leaving cost one atomic addition each. Waiting
// takes no lock: who waits carries what it has seen with it, and may give up and go on later.
#pragma once

#include "util/assert.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstdint>

namespace polder::core {

class Outstanding {
 public:
  using Ticket = std::uint32_t;

  // How far one waiter has come.
  class Wait {
    friend class Outstanding;
    bool begun_ = false;
    std::uint32_t since_ = 0;  // the turn in which it began
    bool seen_empty_[2] = {};
  };

  Ticket enter() {
    // The turn may change between these two lines: then the operation counts in the older counter, and who waits stays
    // a turn longer. Three turns are enough for that, see passed().
    const Ticket now = turn_.load(std::memory_order_relaxed) & 1;
    count_[now].fetch_add(1, std::memory_order_seq_cst);
    return now;
  }

  // The caller rings whatever bell waiters sleep on.
  void leave(Ticket ticket) {
    [[maybe_unused]] const std::int64_t before = count_[ticket].fetch_sub(1, std::memory_order_acq_rel);
    POLDER_ASSERT(before > 0);
  }

  std::int64_t count() const {
    return count_[0].load(std::memory_order_acquire) + count_[1].load(std::memory_order_acquire);
  }

  // True once all that this thread entered before the first call with `wait` have left, and whatever else was there.
  // Both counters have been empty since then: seen by us, or by those who made the other one current. A turn that was
  // under way when we began may rest on what was seen before, hence three of them. REQUIRES: one thread uses `wait`.
  bool passed(Wait& wait) {
    std::uint32_t turn = turn_.load(std::memory_order_acquire);
    if (!wait.begun_) {
      wait.begun_ = true;
      wait.since_ = turn;
    }
    for (const Ticket which : {0u, 1u})
      if (count_[which].load(std::memory_order_acquire) == 0) wait.seen_empty_[which] = true;
    if ((wait.seen_empty_[0] && wait.seen_empty_[1]) || turn - wait.since_ >= 3) return true;
    if (count_[(turn & 1) ^ 1].load(std::memory_order_acquire) == 0)
      turn_.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel);
    return false;
  }

  // `wait(ready)` waits until ready() holds; its error ends the drain.
  template <class Until>
  Status drain(Until&& wait_for) {
    Wait wait;
    if (passed(wait)) return {};
    return wait_for([&] { return passed(wait); });
  }

 private:
  std::atomic<std::uint32_t> turn_{0};  // its lowest bit says which counter new operations use
  std::atomic<std::int64_t> count_[2]{};
};

}  // namespace polder::core
