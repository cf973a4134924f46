// What callers must be told once no lock is held: operations that have ended, or whose source is the caller's again, and peers that
// were lost.
#pragma once

#include "device/wire/link/operation.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <utility>
#include <vector>

namespace polder::device::wire {

// Gathered under the device's lock, in lists through the operations themselves; taken out of it, and told.
class Endings {
 public:
  bool empty() const { return local_ == nullptr && ended_ == nullptr && lost_.empty(); }

  // The peer is done with it, or it has failed for good.
  void decide(WireOperation& operation) {
    if (operation.parts.fetch_or(WireOperation::kDecided, std::memory_order_acq_rel) == 0) note_ended(operation);
  }
  // One part less of it is under way from or to the caller's memory.
  void end_part(WireOperation& operation) {
    const bool put = operation.kind == WireOperation::Kind::put;
    const std::uint32_t left = operation.parts.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if ((left & ~WireOperation::kDecided) != 0) return;
    if (put) {
      operation.next_local = nullptr;
      (local_ == nullptr ? local_ : last_local_->next_local) = &operation;
      last_local_ = &operation;
    }
    if (left == WireOperation::kDecided) note_ended(operation);
  }
  void note_lost(Rank peer, const Status& why) { lost_.push_back({peer, why}); }

  Endings take() { return std::exchange(*this, {}); }
  // Calls `on_lost(peer, why)` before operations end: whoever learns of one that failed finds the peer failed, too. No lock is held.
  template <class OnLost>
  void tell(OperationTable& operations, OnLost&& on_lost) {
    for (const Lost& one : lost_) on_lost(one.peer, one.why);
    // The next is read first: an operation that has been told may serve another caller at once.
    while (local_ != nullptr) operations.tell_local(std::exchange(local_, local_->next_local));
    while (ended_ != nullptr) operations.tell_end(std::exchange(ended_, ended_->next));
  }

 private:
  struct Lost {
    Rank peer;
    Status why;
  };

  void note_ended(WireOperation& operation) {
    operation.next = nullptr;
    (ended_ == nullptr ? ended_ : last_ended_->next) = &operation;
    last_ended_ = &operation;
  }

  WireOperation* local_ = nullptr;
  WireOperation* ended_ = nullptr;
  WireOperation* last_local_ = nullptr;
  WireOperation* last_ended_ = nullptr;
  std::vector<Lost> lost_;
};

}  // namespace polder::device::wire
