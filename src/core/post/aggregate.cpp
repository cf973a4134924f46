#include "core/post/aggregate.hpp"

#include "core/post/handle_state.hpp"
#include "core/post/queue_state.hpp"
#include "core/segment/hazards.hpp"

#include <algorithm>

namespace polder::core {

Aggregates::Aggregates(Ledger& ledger, Ordering ordering) : ledger_(ledger), ordering_(ordering) {
  ledger.set_kept_back(*this);
}

Aggregates::Lock Aggregates::lock(Timeout timeout) {
  if (timeout.is_test()) return Lock(mutex_, std::try_to_lock);
  return Lock(mutex_);
}

bool Aggregates::fits(const Aggregate& aggregate, const Transfer& transfer) {
  const GlobalAddress &a = aggregate.base_, &b = transfer.remote;
  return aggregate.count_ < Aggregate::kPieces && aggregate.kind_ == transfer.kind && a.rank == b.rank &&
         a.segment == b.segment && aggregate.queue_ == transfer.post.queue &&
         aggregate.ordering_ == transfer.post.ordering;
}

// Pieces of one operation arrive in any order, so those that share bytes must not travel together where order counts.
bool Aggregates::may_join(const Aggregate& aggregate, const Transfer& transfer) const {
  if (!fits(aggregate, transfer)) return false;
  const Ordering wanted = transfer.post.ordering == Ordering::inherit ? ordering_ : transfer.post.ordering;
  if (wanted == Ordering::unordered || transfer.kind == Transfer::Kind::get) return true;
  const ByteRange range{transfer.remote.offset, transfer.remote.offset + transfer.shape.bytes()};
  return std::none_of(aggregate.items_.begin(), aggregate.items_.begin() + std::ptrdiff_t(aggregate.count_),
                      [&](const ListItem& item) {
                        const auto begin = std::uint64_t(item.remote);
                        return range.meets({begin, begin + item.bytes});
                      });
}

bool Aggregates::keep(const Transfer& transfer) {
  Handle* handle = transfer.post.handle;
  if (handle == nullptr || handle->kind() != Handle::Kind::aggregate) return false;
  HandleState& state = HandleState::of(ledger_, *handle);
  const Lock held = lock(Timeout::test());
  const bool small = transfer.shape.kind() == Shape::Kind::contiguous &&
                     transfer.shape.bytes() <= Aggregate::kLargest && transfer.notification == nullptr &&
                     transfer.post.until == Until::posted;
  if (!held.owns_lock() || !small) {
    ledger_.post_kept(state, transfer.post.timeout);  // what was posted first goes first
    return false;
  }
  if (state.aggregate().count_ != 0 && !may_join(state.aggregate(), transfer)) post_now(state);
  append(state, transfer);
  return true;
}

void Aggregates::append(HandleState& handle, const Transfer& transfer) {
  Aggregate& aggregate = handle.aggregate();
  if (aggregate.count_ == 0) {
    aggregate.kind_ = transfer.kind;
    aggregate.base_ = {transfer.remote.rank, transfer.remote.segment, 0};
    aggregate.local_ = transfer.local;
    aggregate.ordering_ = transfer.post.ordering;
    aggregate.queue_ = transfer.post.queue;
    holding_.push_back(&handle);
    ledger_.kept_back.store(holding_.size(), std::memory_order_release);
    ledger_.overtakable.fetch_add(1, std::memory_order_relaxed);
    handle.enter();  // so that it is not idle, and lives
  }
  aggregate.items_[aggregate.count_++] = {transfer.local - aggregate.local_, std::ptrdiff_t(transfer.remote.offset),
                                          transfer.shape.bytes()};
}

void Aggregates::post_now(HandleState& handle) {
  Aggregate& aggregate = handle.aggregate();
  std::array<ListItem, Aggregate::kPieces> items = aggregate.items_;
  const std::span<const ListItem> pieces(items.data(), std::exchange(aggregate.count_, 0));
  std::erase(holding_, &handle);
  ledger_.kept_back.store(holding_.size(), std::memory_order_release);
  const Shape shape(pieces);
  Post how;
  how.queue = aggregate.queue_;
  how.ordering = aggregate.ordering_;
  Handle lent = handle.lend();
  how.handle = &lent;
  const Status status = post_it_({aggregate.kind_, aggregate.local_, aggregate.base_, shape, nullptr, how});
  HandleState::take_back(lent);
  ledger_.overtakable.fetch_sub(1, std::memory_order_release);  // what was posted as messages counts itself by now
  if (!status.ok() && !handle.note_failure(status)) ledger_.queue_of(how).note_failure(status);
  handle.leave_local();
  handle.leave_remote();
}

void Aggregates::post(HandleState& handle, Timeout timeout) {
  const Lock held = lock(timeout);
  if (held.owns_lock() && handle.aggregate().count_ != 0) post_now(handle);
}

void Aggregates::post_all(Timeout timeout) {
  const Lock held = lock(timeout);
  while (held.owns_lock() && !holding_.empty()) post_now(*holding_.back());
}

}  // namespace polder::core
