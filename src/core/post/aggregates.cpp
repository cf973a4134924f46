#include "core/post/aggregates.hpp"

#include "bootstrap/standing.hpp"
#include "core/post/handle_state.hpp"
#include "core/post/queue_state.hpp"
#include "core/progress/progress.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/hazards.hpp"

#include <algorithm>
#include <utility>

namespace polder::core {

// Of a thread that looks at what is kept back, or posts it.
class Aggregates::Turn {
 public:
  explicit Turn(Aggregates& all) : all_(all), lock_(all.mutex_, std::try_to_lock) {}
  // Others may wait for that.
  ~Turn() {
    if (!lock_.owns_lock()) return;
    lock_.unlock();
    all_.ledger_.progress.completions().ring();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool is_ours() const { return lock_.owns_lock(); }
  // A handler of messages must not wait for a thread that waits for messages: it tests.
  Status wait(Timeout timeout) {
    if (is_ours()) return {};
    return wait_for(
        all_.ledger_.progress, [this] { return lock_.owns_lock() || lock_.try_lock(); }, timeout,
        [](bootstrap::LongWait& wait) { wait.say("for a thread that posts what handles kept back"); });
  }

 private:
  Aggregates& all_;
  Lock lock_;
};

Aggregates::Aggregates(Ledger& ledger, const Queues& queues, Ordering ordering)
    : ledger_(ledger), queues_(queues), ordering_(ordering) {
  ledger.set_kept_back(*this);
  ledger.progress.add(*this);
}

// The network had no room for these until the end.
Aggregates::~Aggregates() {
  while (!holding_.empty()) forget(*holding_.back());
}

// ---- keeping back ----

bool Aggregates::is_ordered(Ordering ordering) const {
  return (ordering == Ordering::inherit ? ordering_ : ordering) != Ordering::unordered;
}

bool Aggregates::fits(const Aggregate& aggregate, const Transfer& transfer) const {
  const GlobalAddress &a = aggregate.base_, &b = transfer.remote;
  return !aggregate.is_posting_ && aggregate.count_ < Aggregate::kPieces && aggregate.kind_ == transfer.kind &&
         a.rank == b.rank && a.segment == b.segment && aggregate.queue_ == &queues_.of(transfer.post) &&
         aggregate.ordering_ == transfer.post.ordering;
}

bool Aggregates::shares_bytes(const Aggregate& aggregate, const Transfer& transfer) {
  const GlobalAddress &a = aggregate.base_, &b = transfer.remote;
  if (a.rank != b.rank || a.segment != b.segment) return false;
  const ByteRange range{b.offset, b.offset + transfer.shape.bytes()};
  return std::any_of(aggregate.items_.begin(), aggregate.items_.begin() + std::ptrdiff_t(aggregate.count_),
                     [&](const ListItem& item) {
                       const auto begin = std::uint64_t(item.remote);
                       return range.meets({begin, begin + item.bytes});
                     });
}

// Pieces of one operation arrive in any order, so those that share bytes must not travel together where order counts;
// nor may a transfer travel with an aggregate that goes before what another handle keeps back for the same bytes.
bool Aggregates::may_join(HandleState& handle, const Transfer& transfer) const {
  const Aggregate& aggregate = handle.aggregate();
  if (!fits(aggregate, transfer)) return false;
  if (!is_ordered(transfer.post.ordering)) return true;
  if (transfer.kind == Transfer::Kind::put && shares_bytes(aggregate, transfer)) return false;
  const auto later = std::find(holding_.begin(), holding_.end(), &handle) + 1;
  return std::none_of(later, holding_.end(),
                      [&](HandleState* other) { return shares_bytes(other->aggregate(), transfer); });
}

Result<bool> Aggregates::keep(const Transfer& transfer) {
  Handle* handle = transfer.post.handle;
  if (handle == nullptr || handle->kind() != Handle::Kind::aggregate) return false;
  HandleState& state = HandleState::of(ledger_, *handle);
  const Turn turn(*this);
  const bool small = transfer.shape.kind() == Shape::Kind::contiguous &&
                     transfer.shape.bytes() <= Aggregate::kLargest && transfer.notification == nullptr &&
                     transfer.post.until == Until::posted;
  const bool kept = turn.is_ours() && small;
  // What was posted first goes first.
  if (!kept || (state.aggregate().count_ != 0 && !may_join(state, transfer)))
    if (Status status = post(state, transfer.post.timeout); !status.ok())
      return status.timed_out() ? Status(Code::queue_full) : status;
  if (kept) append(state, transfer);
  return kept;
}

void Aggregates::append(HandleState& handle, const Transfer& transfer) {
  Aggregate& aggregate = handle.aggregate();
  if (aggregate.count_ == 0) {
    aggregate.kind_ = transfer.kind;
    aggregate.base_ = {transfer.remote.rank, transfer.remote.segment, 0};
    aggregate.local_ = transfer.local;
    aggregate.ordering_ = transfer.post.ordering;
    aggregate.queue_ = &queues_.of(transfer.post);
    aggregate.queue_->begin_keeping();
    aggregate.holds_.store(true, std::memory_order_relaxed);
    holding_.push_back(&handle);
    ledger_.kept_back.store(holding_.size(), std::memory_order_release);
    ledger_.overtakable.fetch_add(1, std::memory_order_relaxed);
    handle.enter();  // so that it is not idle, and lives
  }
  aggregate.items_[aggregate.count_++] = {transfer.local - aggregate.local_, std::ptrdiff_t(transfer.remote.offset),
                                          transfer.shape.bytes()};
}

// ---- posting ----

// timeout: the pieces stay kept back. What else goes wrong is told to the handle, and they are gone.
Status Aggregates::post_now(HandleState& handle, Timeout timeout) {
  Aggregate& aggregate = handle.aggregate();
  if (aggregate.is_posting_) return Code::timeout;  // further up the stack: this is a handler
  const Shape shape(std::span<const ListItem>(aggregate.items_.data(), aggregate.count_));
  QueueState::Lent queue(*aggregate.queue_);
  Handle lent = handle.lend();
  Post how(queue.queue(), timeout);
  how.handle = &lent;
  how.ordering = aggregate.ordering_;
  aggregate.is_posting_ = true;
  const Status status = post_it_({.kind = aggregate.kind_,
                                  .local = aggregate.local_,
                                  .remote = aggregate.base_,
                                  .shape = shape,
                                  .post = how,
                                  .was_kept = true});
  aggregate.is_posting_ = false;
  HandleState::take_back(lent);
  if (status.timed_out() || status.code() == Code::queue_full) return Code::timeout;
  if (!status.ok() && !handle.note_failure(status)) aggregate.queue_->note_failure(status);
  forget(handle);
  return {};
}

// They are under way, or never will be.
void Aggregates::forget(HandleState& handle) {
  Aggregate& aggregate = handle.aggregate();
  aggregate.count_ = 0;
  aggregate.holds_.store(false, std::memory_order_release);
  aggregate.queue_->end_keeping();
  std::erase(holding_, &handle);
  // Only now: what was posted counts by itself, and nobody finds that nothing is left.
  ledger_.kept_back.store(holding_.size(), std::memory_order_release);
  ledger_.overtakable.fetch_sub(1, std::memory_order_release);
  handle.leave_local();
  handle.leave_remote();
}

// Of those that must not arrive behind `handle`'s: in an order, others to this peer that began before.
HandleState& Aggregates::first_before(HandleState& handle) const {
  if (!is_ordered(handle.aggregate().ordering_)) return handle;
  const Rank rank = handle.aggregate().base_.rank;
  return **std::ranges::find_if(holding_, [&](HandleState* each) { return each->aggregate().base_.rank == rank; });
}

Status Aggregates::post_with_turn(HandleState& handle, const util::Deadline& deadline) {
  while (handle.aggregate().count_ != 0)
    if (Status status = post_now(first_before(handle), deadline.remaining()); !status.ok()) return status;
  return {};
}

Status Aggregates::post_all_with_turn(const Rank* rank, const util::Deadline& deadline) {
  const auto is_meant = [&](HandleState* each) { return rank == nullptr || each->aggregate().base_.rank == *rank; };
  while (true) {
    const auto next = std::ranges::find_if(holding_, is_meant);
    if (next == holding_.end()) return {};
    if (Status status = post_now(**next, deadline.remaining()); !status.ok()) return status;
  }
}

Status Aggregates::post(HandleState& handle, Timeout timeout) {
  if (!handle.aggregate().holds_.load(std::memory_order_acquire)) return {};
  const util::Deadline deadline(timeout, ledger_.progress.clock());
  Turn turn(*this);
  if (Status status = turn.wait(timeout); !status.ok()) return status;
  return post_with_turn(handle, deadline);
}

Status Aggregates::post_all(const Rank* rank, Timeout timeout) {
  const util::Deadline deadline(timeout, ledger_.progress.clock());
  Turn turn(*this);
  if (Status status = turn.wait(timeout); !status.ok()) return status;
  return post_all_with_turn(rank, deadline);
}

// ---- what is left to whoever makes progress ----

std::uint64_t Aggregates::demand() {
  const std::uint64_t number = demanded_.fetch_add(1, std::memory_order_acq_rel) + 1;
  attend();
  return number;
}

int Aggregates::attend() {
  if (demanded_.load(std::memory_order_acquire) == met_.load(std::memory_order_acquire)) return 0;
  const Turn turn(*this);
  if (!turn.is_ours()) return 0;  // whoever makes progress looks again
  const std::uint64_t demanded = demanded_.load(std::memory_order_acquire);
  if (!post_all_with_turn(nullptr, util::Deadline(Timeout::test())).ok()) return 0;
  if (met_.load(std::memory_order_relaxed) < demanded) met_.store(demanded, std::memory_order_release);
  return 1;
}

}  // namespace polder::core
