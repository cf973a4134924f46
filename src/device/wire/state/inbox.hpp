// Messages between their arrival and the handler: one after the other in a buffer that grows as needed and is kept.
#pragma once

#include "device/device.hpp"
#include "device/wire/format/protocol.hpp"
#include "util/spin_lock.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace polder::device::wire {

// Where a message comes from, and where it goes to.
struct Label {
  Rank source;
  std::uint32_t incarnation;  // of the link that it came by
  HandlerId handler;
  bool farewell = false;  // not a message: the source has left
};

class Inbox {
 public:
  void add(const Label& label, std::span<const std::byte> message) {
    const Head head{label, std::uint32_t(message.size())};
    util::SpinGuard lock(lock_);
    const std::size_t at = arrived_.size();
    arrived_.resize(at + sizeof head + padded(message.size()));
    std::memcpy(arrived_.data() + at, &head, sizeof head);
    if (!message.empty()) std::memcpy(arrived_.data() + at + sizeof head, message.data(), message.size());
    pending_.store(true, std::memory_order_release);
  }

  bool pending() const { return pending_.load(std::memory_order_acquire); }

  // Calls `visit(label, message)` for what has arrived. Returns how many; 0 at once where another thread is
  // inside, or this one further up.
  template <class Visit>
  int take(Visit&& visit) {
    if (!pending() || !taking_.try_lock()) return 0;
    const int count = take_all(visit);
    taking_.unlock();
    return count;
  }

 private:
  template <class Visit>
  int take_all(Visit& visit) POLDER_REQUIRES(taking_) {
    {
      util::SpinGuard lock(lock_);
      taken_.clear();
      std::swap(arrived_, taken_);
      pending_.store(false, std::memory_order_relaxed);
    }
    int count = 0;
    for (std::size_t at = 0; at < taken_.size(); ++count) {
      Head head;
      std::memcpy(&head, taken_.data() + at, sizeof head);
      visit(head.label, std::span<const std::byte>(taken_.data() + at + sizeof head, head.bytes));
      at += sizeof head + padded(head.bytes);
    }
    return count;
  }

  struct Head {
    Label label;
    std::uint32_t bytes;
  };

  util::SpinLock lock_;
  util::SpinLock taking_;
  std::atomic<bool> pending_{false};
  std::vector<std::byte> arrived_ POLDER_GUARDED_BY(lock_);
  std::vector<std::byte> taken_ POLDER_GUARDED_BY(taking_);
};

}  // namespace polder::device::wire
