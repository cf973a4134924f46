#include "device/wire/link/operation.hpp"

#include <utility>

namespace polder::device::wire {
namespace {

// A number is the place in the table, and above it how often the place has been used.
constexpr std::uint32_t kIndexBits = 20;
static_assert(OperationTable::kLimit == 1u << kIndexBits);

}  // namespace

WireOperation* OperationTable::take(WireOperation::Kind kind, CompletionSink* completion, Link& link) {
  util::SpinGuard lock(lock_);
  WireOperation* operation = nullptr;
  if (!free_.empty()) {
    operation = free_.back();
    free_.pop_back();
  } else {
    if (made_ == kLimit) return nullptr;
    if (chunks_[made_ / kChunk] == nullptr) chunks_[made_ / kChunk] = std::make_unique<Chunk>();
    operation = &at(made_);
    operation->id = std::uint32_t(made_++);
  }
  operation->kind = kind;
  operation->completion = completion;
  operation->link = &link;
  operation->incarnation.store(0, std::memory_order_relaxed);
  operation->old = nullptr;
  operation->missing = 0;
  operation->foreign = false;
  operation->parts.store(0, std::memory_order_relaxed);
  operation->told.store(0, std::memory_order_relaxed);
  operation->next = operation->next_local = nullptr;
  operation->active = true;
  return operation;
}

void OperationTable::give_back(WireOperation* operation) {
  util::SpinGuard lock(lock_);
  operation->active = false;
  operation->link = nullptr;
  operation->pieces.clear();
  operation->status = {};
  operation->id += kLimit;
  if (operation->id < kLimit) ++operation->round;
  free_.push_back(operation);
}

// All of it under the lock: one that is decided may be serving another caller by now.
WireOperation* OperationTable::find(std::uint32_t id, const Link& link, std::uint32_t incarnation) {
  const std::uint32_t index = id & (kLimit - 1);
  util::SpinGuard lock(lock_);
  if (index >= made_) return nullptr;
  WireOperation& operation = at(index);
  const bool right = operation.active && operation.id == id && operation.link == &link &&
                     operation.incarnation.load(std::memory_order_relaxed) == incarnation && !operation.is_decided();
  return right ? &operation : nullptr;
}

void OperationTable::tell_local(WireOperation* operation) {
  operation->completion->local();
  if ((operation->told.fetch_or(WireOperation::kLocalTold, std::memory_order_acq_rel) & WireOperation::kEnded) != 0)
    end(operation);
}

void OperationTable::tell_end(WireOperation* operation) {
  // What is read into the caller's memory is the caller's again with its end.
  if (operation->kind != WireOperation::Kind::put) {
    const bool written = operation->foreign || operation->old == nullptr;
    if (!written && operation->status.ok()) *operation->old = operation->old_value;
    operation->completion->local();
    return end(operation);
  }
  if ((operation->told.fetch_or(WireOperation::kEnded, std::memory_order_acq_rel) & WireOperation::kLocalTold) != 0)
    end(operation);
}

void OperationTable::end_part(WireOperation* operation) {
  const bool put = operation->kind == WireOperation::Kind::put;
  const std::uint32_t left = operation->parts.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if ((left & ~WireOperation::kDecided) != 0) return;
  if (put) tell_local(operation);
  if (left == WireOperation::kDecided) tell_end(operation);
}

void OperationTable::end(WireOperation* operation) {
  CompletionSink* completion = operation->completion;
  const Status status = std::move(operation->status);
  give_back(operation);
  completion->remote(status);
}

}  // namespace polder::device::wire
