#include "core/post/operation.hpp"

#include "core/direct/notification.hpp"
#include "core/peers/peer.hpp"
#include "core/post/handle_state.hpp"
#include "core/post/ledger.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/hazards.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/assert.hpp"

#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

namespace polder::core {

static_assert(std::endian::native == std::endian::little, "the low bytes of a word come first");

void SharedFlag::arrived() {
  const auto before = missing.fetch_sub(1, std::memory_order_acq_rel);
  POLDER_ASSERT(before > 0);
  if (before == 1) raise_flag(*segment, notification);
}

void Operation::begin(const OperationTarget& target) {
  target_ = target;
  flag_.reset();
  destination_ = nullptr;
  if (uses_local()) {
    local_ = target.queue->local.enter();
    if (!internal()) {
      peer_local_ = target.peer->local_operations.enter();
      all_local_ = ledger_.local_operations.enter();
    }
  }
  remote_ = target.queue->remote.enter();
  if (target.handle != nullptr) target.handle->enter(uses_local());
  if (!internal()) peer_ = target.peer->operations.enter();
  if (target.segment != nullptr) segment_ = target.segment->enter();
  if (target.ranges != nullptr) range_ = target.ranges->enter(target.range);
  all_ = (internal() ? ledger_.internal_operations : ledger_.operations).enter();
  if (target.emulated) ledger_.overtakable.fetch_add(1, std::memory_order_relaxed);
}

bool Operation::hold(const PeerSegment& segment) {
  if (segment.control != nullptr) return true;  // mapped: the segment itself says whether it is alive
  for (const PeerSegment*& held : held_) {
    if (held == &segment) return true;
    if (held != nullptr) continue;
    if (!segment.enter()) return false;
    held = &segment;
    return true;
  }
  return false;
}

// Who waits for data to arrive must not go on before a failure has been noted, so a read has no earlier end.
void Operation::local() {
  if (target_.reads || target_.copied) return;
  leave_local();
  ring_completions(ledger_.progress);
}

void Operation::leave_local() {
  if (target_.copied) return;
  if (target_.staging != nullptr) return staging_.give_back(target_.staging);
  if (target_.handle != nullptr) target_.handle->leave_local();
  if (!internal()) {
    target_.peer->local_operations.leave(peer_local_);
    ledger_.local_operations.leave(all_local_);
  }
  target_.queue->local.leave(local_);
}

void Operation::remote(const Status& status) {
  if (!status.ok()) {
    if (target_.handle == nullptr || !target_.handle->note_failure(status)) target_.queue->note_failure(status);
  } else {
    if (destination_ != nullptr) std::memcpy(destination_, &fetched_, width_);
    if (flag_ != nullptr) flag_->arrived();
  }
  if (target_.reads) leave_local();
  leave_remote();
}

void Operation::withdraw() {
  leave_local();
  leave_remote();
}

void Operation::leave_remote() {
  // Copies first: once the last counter is lowered, the queue may be gone; once given back, this object serves another.
  Ledger& ledger = ledger_;
  Outstanding& all_of_kind = internal() ? ledger.internal_operations : ledger.operations;
  flag_.reset();
  for (const PeerSegment*& held : held_)
    if (const PeerSegment* segment = std::exchange(held, nullptr); segment != nullptr && segment->leave())
      wake_helper(ledger.progress);  // the helper answers the segment's owner
  if (target_.emulated) ledger.overtakable.fetch_sub(1, std::memory_order_release);
  if (target_.segment != nullptr) target_.segment->leave(segment_);
  if (target_.ranges != nullptr) target_.ranges->leave(range_);
  if (!internal()) target_.peer->operations.leave(peer_);
  if (target_.handle != nullptr) target_.handle->leave_remote();
  target_.queue->remote.leave(remote_);
  const Outstanding::Ticket all = all_;
  home_.give_back(this);
  all_of_kind.leave(all);
  ring_completions(ledger.progress);
}

Operation* OperationPool::take() {
  std::lock_guard lock(lock_);
  if (free_.empty()) {
    all_.push_back(std::make_unique<Operation>(ledger_, staging_, *this));
    return all_.back().get();
  }
  Operation* operation = free_.back();
  free_.pop_back();
  return operation;
}

void OperationPool::give_back(Operation* operation) {
  std::lock_guard lock(lock_);
  free_.push_back(operation);
}

}  // namespace polder::core
