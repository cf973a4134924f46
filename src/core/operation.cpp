#include "core/operation.hpp"

#include "core/engine.hpp"
#include "core/notification.hpp"

#include <mutex>

namespace polder::core {

void SharedFlag::arrived() {
  if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) raise_flag(*segment, notification);
}

void Operation::begin(const OperationTarget& target) {
  target_ = target;
  flag_.reset();
  local_ = target.queue->local.enter();
  remote_ = target.queue->remote.enter();
  peer_ = target.peer->operations.enter();
  if (target.segment != nullptr) segment_ = target.segment->enter();
  all_ = engine_.operations.enter();
  if (target.emulated) engine_.emulated.fetch_add(1, std::memory_order_relaxed);
}

void Operation::local() {
  target_.queue->local.leave(local_);
  engine_.completions.ring();
}

void Operation::remote(const Status& status) {
  if (!status.ok()) {
    target_.queue->note_failure(status);
  } else if (flag_ != nullptr) {
    flag_->arrived();
  }
  leave_remote();
}

void Operation::withdraw() {
  target_.queue->local.leave(local_);
  leave_remote();
}

void Operation::leave_remote() {
  // Copies first: once the last counter is lowered, the queue may be gone; once given back, this object serves another.
  Engine& engine = engine_;
  flag_.reset();
  if (target_.emulated) engine.emulated.fetch_sub(1, std::memory_order_release);
  if (target_.segment != nullptr) target_.segment->leave(segment_);
  target_.peer->operations.leave(peer_);
  target_.queue->remote.leave(remote_);
  const Outstanding::Ticket all = all_;
  engine.pool.give_back(this);
  engine.operations.leave(all);
  engine.completions.ring();
}

Operation* OperationPool::take() {
  std::lock_guard lock(lock_);
  if (free_.empty()) {
    all_.push_back(std::make_unique<Operation>(engine_));
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
