// Small puts and gets that aggregate handles keep back until several can travel as one operation.
#pragma once

#include "core/post/transfer.hpp"

#include <polder/handle.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace polder::core {

class Engine;
class HandleState;

// Of one handle: pieces of one kind, to one segment of one peer. Guarded by the lock of Aggregates.
class Aggregate {
 public:
  static constexpr std::size_t kPieces = 32;
  static constexpr std::size_t kLargest = 2048;  // bytes; larger transfers gain nothing

 private:
  friend class Aggregates;
  Transfer::Kind kind_ = Transfer::Kind::put;
  GlobalAddress base_;
  std::byte* local_ = nullptr;
  Ordering ordering_ = Ordering::inherit;
  Queue* queue_ = nullptr;
  std::array<ListItem, kPieces> items_;
  std::size_t count_ = 0;
};

// All of a runtime.
class Aggregates {
 public:
  explicit Aggregates(Engine& engine) : engine_(engine) {}

  // Keeps the transfer back if its handle and its size allow; false: post it now. REQUIRES: it has been checked.
  bool keep(const Transfer& transfer);

  // Posts what `handle` keeps back, what all handles do. Errors are the handle's.
  void flush(HandleState& handle, Timeout timeout);
  void flush_all(Timeout timeout) {
    if (any()) [[unlikely]]
      flush_every(timeout);
  }
  // Some handle keeps something back.
  bool any() const { return open_.load(std::memory_order_acquire) != 0; }

 private:
  using Lock = std::unique_lock<std::recursive_mutex>;

  // A handler of messages must not wait for a thread that waits for messages.
  Lock lock(Timeout timeout);
  void flush_every(Timeout timeout);
  void post(HandleState& handle);
  void append(HandleState& handle, const Transfer& transfer);
  bool may_join(const Aggregate& aggregate, const Transfer& transfer) const;
  static bool fits(const Aggregate& aggregate, const Transfer& transfer);

  Engine& engine_;
  std::recursive_mutex mutex_;  // posting may run a handler that posts
  std::vector<HandleState*> holding_;
  std::atomic<std::size_t> open_{0};
};

}  // namespace polder::core
