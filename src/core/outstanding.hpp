// Counts operations under way, so that "all that began before now" can be awaited while others begin.
//
// Two counters, of which new operations use one: a waiter first waits for the idle one to be empty, makes it the
// current one, and then waits for the other to drain. (The idea of sleepable RCU, McKenney 2006.) Entering and leaving
// cost one atomic addition each.
#pragma once

#include <polder/status.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace polder::core {

class Outstanding {
 public:
  using Ticket = std::uint32_t;

  Ticket enter() {
    const Ticket now = current_.load(std::memory_order_relaxed) & 1;
    count_[now].fetch_add(1, std::memory_order_seq_cst);
    return now;
  }

  // The caller rings whatever bell waiters sleep on.
  void leave(Ticket ticket) { count_[ticket].fetch_sub(1, std::memory_order_acq_rel); }

  std::int64_t count() const {
    return count_[0].load(std::memory_order_acquire) + count_[1].load(std::memory_order_acquire);
  }

  // Waits for all that this thread entered before, and whatever else was there. `wait(ready)` waits until ready()
  // holds; its errors end the drain, and the next one goes on from there.
  template <class Wait>
  Status drain(Wait&& wait) {
    if (count() == 0) return {};
    std::unique_lock lock(draining_, std::defer_lock);
    // Another thread's drain must not make this one wait for longer than it is willing to.
    if (Status status = wait([&] { return lock.try_lock() || count() == 0; }); !status.ok()) return status;
    if (!lock.owns_lock()) return {};
    const Ticket old = current_.load(std::memory_order_relaxed) & 1;
    const auto empty = [this](Ticket which) {
      return [this, which] { return count_[which].load(std::memory_order_acquire) == 0; };
    };
    if (Status status = wait(empty(old ^ 1)); !status.ok()) return status;
    current_.store(old ^ 1, std::memory_order_seq_cst);
    return wait(empty(old));
  }

 private:
  std::atomic<Ticket> current_{0};
  std::atomic<std::int64_t> count_[2]{};
  std::mutex draining_;
};

}  // namespace polder::core
