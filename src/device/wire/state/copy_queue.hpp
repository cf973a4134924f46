// Copies from and to memory whose pages may be missing. They are noted where a lock is held and done where none is: a
// page may have to come by the same device, whose calls must work meanwhile.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "device/wire/link/frame.hpp"
#include "util/fifo.hpp"
#include "util/spin_lock.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace polder::device::wire {

class Link;

// What has come for an operation. A part of it is under way until it has been copied.
struct Landing {
  WireOperation* operation = nullptr;
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  Frame* frame = nullptr;  // in which `from` lies; null: in the operation
};

// Some parts of a large put, to be copied into frames.
struct Packing {
  Link* link = nullptr;
  std::uint32_t incarnation = 0;
  WireOperation* operation = nullptr;
  Record record;  // of the first part
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  bool more = false;                    // others of the piece follow
  bool last = false;                    // the operation ends with them
  std::optional<FlagRecord> flag = {};  // goes with the last of them
};

// Any thread. One that waits for a page keeps no other from the rest.
template <class Copy>
class CopyQueue {
 public:
  void add(const Copy& copy) {
    util::SpinGuard lock(lock_);
    copies_.push_back(copy);
    any_.store(true, std::memory_order_release);
  }
  bool empty() const { return !any_.load(std::memory_order_acquire); }
  std::optional<Copy> take() {
    if (empty()) return {};
    util::SpinGuard lock(lock_);
    if (copies_.empty()) return {};
    const Copy copy = copies_.front();
    copies_.pop_front();
    if (copies_.empty()) any_.store(false, std::memory_order_relaxed);
    return copy;
  }

 private:
  util::SpinLock lock_;
  std::atomic<bool> any_{false};
  util::Fifo<Copy> copies_ POLDER_GUARDED_BY(lock_);
};

}  // namespace polder::device::wire
