// Small puts and gets that aggregate handles keep back until several can travel as one operation.
#pragma once

#include "core/post/transfer.hpp"

#include <polder/shape.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace polder::core {

class QueueState;

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
  QueueState* queue_ = nullptr;
  std::array<ListItem, kPieces> items_;
  std::size_t count_ = 0;
  std::atomic<bool> holds_{false};  // something: without the lock true for the thread that posts with the handle
  bool is_posting_ = false;         // they are on their way, further up the stack of the thread that has the lock
};

}  // namespace polder::core
