#include "core/post/handle_state.hpp"

#include "bootstrap/standing.hpp"
#include "core/post/aggregate.hpp"
#include "core/post/ledger.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "trace/record/span.hpp"
#include "util/assert.hpp"
#include "util/deadline.hpp"

namespace polder::core {

HandleState::HandleState(Ledger& ledger) : ledger_(ledger) {}
HandleState::~HandleState() = default;

HandleState& HandleState::of(Ledger& ledger, Handle& handle) {
  if (handle.state_ == nullptr) handle.state_ = new HandleState(ledger);
  return *handle.state_;
}

void HandleState::enter(bool local) {
  shares_.fetch_add(1, std::memory_order_relaxed);
  if (local) local_.fetch_add(1, std::memory_order_relaxed);
  remote_.fetch_add(1, std::memory_order_relaxed);
}

void HandleState::leave_remote() {
  [[maybe_unused]] const auto before = remote_.fetch_sub(1, std::memory_order_acq_rel);
  POLDER_ASSERT(before > 0);
  drop_share();  // last: this object may be gone after it
}

void HandleState::drop_share() {
  const auto before = shares_.fetch_sub(1, std::memory_order_acq_rel);
  POLDER_ASSERT(before > 0);
  if (before == 1) delete this;
}

void HandleState::keep() {
  shares_.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard lock(failure_mutex_);
  ++watchers_;
}

void HandleState::let_go() {
  stop_watching();
  drop_share();
}

void HandleState::stop_watching() {
  std::lock_guard lock(failure_mutex_);
  POLDER_ASSERT(watchers_ > 0);
  --watchers_;
}

void HandleState::release() {
  stop_watching();
  // Inside a handler that may be in vain: then it is left to the thread that posts it just now, or waits. What a forked
  // child has a copy of is posted by its parent.
  if (aggregate_ != nullptr && !ledger_.outside.in_forked_child()) (void)ledger_.post_kept(*this, Timeout::block());
  drop_share();
}

Aggregate& HandleState::aggregate() {
  if (aggregate_ == nullptr) aggregate_ = std::make_unique<Aggregate>();
  return *aggregate_;
}

Handle HandleState::lend() {
  Handle handle;
  handle.state_ = this;
  return handle;
}

void HandleState::take_back(Handle& lent) {
  lent.state_ = nullptr;
}

bool HandleState::note_failure(const Status& status) {
  std::lock_guard lock(failure_mutex_);
  if (watchers_ == 0) return false;
  if (failure_.ok()) failure_ = status;
  failed_.store(true, std::memory_order_release);
  return true;
}

Status HandleState::take_failure() {
  std::lock_guard lock(failure_mutex_);
  failed_.store(false, std::memory_order_release);
  Status first = std::move(failure_);
  failure_ = Status();
  return first;
}

Status HandleState::wait(Completion completion, Timeout timeout) {
  trace::Span span(ledger_.outside.recorder(), trace::EventKind::queue_wait, {});
  const util::Deadline deadline(timeout, clock_of(ledger_.progress));
  if (aggregate_ != nullptr)
    if (Status status = ledger_.post_kept(*this, timeout); !status.ok()) return span.outcome(std::move(status));
  const std::atomic<std::uint64_t>& which = completion == Completion::local ? local_ : remote_;
  const auto describe = [&](bootstrap::LongWait& wait) {
    wait.say("for the end of " + std::to_string(which.load()) + " operations of a handle");
  };
  Status status = wait_for(
      ledger_.progress, [&] { return which.load(std::memory_order_acquire) == 0; }, deadline.remaining(), describe);
  if (!status.ok()) return span.outcome(std::move(status));
  return span.outcome(outcome());
}

}  // namespace polder::core

namespace polder {

Status Handle::wait_for_state(Completion completion, Timeout timeout) {
  return state_->wait(completion, timeout);
}

bool Handle::state_is_idle() const {
  return state_->idle();
}

void Handle::release() {
  if (state_ != nullptr) state_->release();
  state_ = nullptr;
}

}  // namespace polder
