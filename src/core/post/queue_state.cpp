#include "core/post/queue_state.hpp"

#include "bootstrap/standing.hpp"
#include "core/post/ledger.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "trace/record/span.hpp"
#include "util/deadline.hpp"

namespace polder::core {

std::unique_ptr<Queue> QueueState::make(Ledger& ledger, Queues& queues, std::size_t depth, std::uint16_t number,
                                        Use use) {
  return std::unique_ptr<Queue>(new Queue(std::make_unique<QueueState>(ledger, queues, depth, number, use)));
}

Status QueueState::admit(Timeout timeout) {
  const auto has_room = [this] { return outstanding() < depth_; };
  if (has_room()) [[likely]]
    return {};
  trace::Recorder* const recorder = timeout.is_test() ? nullptr : ledger_.outside.recorder();
  trace::Span span(recorder, trace::EventKind::room, {.queue = number_});
  const auto describe = [this](bootstrap::LongWait& wait) {
    wait.say("for room in queue " + std::to_string(number_) + ", full with " + std::to_string(depth_));
  };
  Status status = wait_for(ledger_.progress, has_room, timeout, describe);
  return span.outcome(status.timed_out() ? Status(Code::queue_full) : std::move(status));
}

inline bool QueueState::nothing_to_wait_for(Completion completion) const {
  return ledger_.outside.recorder() == nullptr && completion <= Completion::remote && ledger_.nothing_kept() &&
         (completion == Completion::local ? local : remote).count() == 0 && !failed_.load(std::memory_order_acquire);
}

Status QueueState::wait(Completion completion, Timeout timeout) {
  trace::Span span(ledger_.outside.recorder(), trace::EventKind::queue_wait, {.queue = number_});
  if (Status status = check(completion); !status.ok()) return span.outcome(std::move(status));
  const util::Deadline deadline(timeout, clock_of(ledger_.progress));
  if (Status status = ledger_.post_all_kept(timeout); !status.ok()) return span.outcome(std::move(status));
  Outstanding& which = completion == Completion::local ? local : remote;
  if (Status status = drain(ledger_.progress, which, deadline.remaining(), {"queue", number_}); !status.ok())
    return span.outcome(std::move(status));
  return failed_.load(std::memory_order_acquire) ? span.outcome(take_failure()) : Status();
}

Status QueueState::purge(Timeout timeout) {
  Status status = wait(Completion::remote, timeout);
  return status.code() == Code::peer_failed || status.ok() ? Status() : status;
}

void QueueState::note_failure(const Status& status) {
  std::lock_guard lock(failure_mutex_);
  if (failure_.ok()) failure_ = status;
  failed_.store(true, std::memory_order_release);
}

Status QueueState::take_failure() {
  std::lock_guard lock(failure_mutex_);
  failed_.store(false, std::memory_order_release);
  Status first = std::move(failure_);
  failure_ = Status();
  if (first.ok()) return first;  // another thread has reported it
  return {first.code() == Code::closed ? Code::closed : Code::peer_failed,
          "an operation of queue " + std::to_string(number_) + " failed: " + first.to_string(), Died::queue};
}

}  // namespace polder::core

namespace polder {

Status check(Completion completion) {
  if (completion <= Completion::remote) return {};
  return {Code::invalid_argument, "wait: there is no Completion " + std::to_string(unsigned(completion))};
}

Queue::Queue(std::unique_ptr<core::QueueState> state) : state_(std::move(state)) {}

Status Queue::wait(Completion completion, Timeout timeout) {
  if (state_->nothing_to_wait_for(completion)) [[likely]]
    return {};
  return state_->wait(completion, timeout);
}
std::size_t Queue::outstanding() const {
  return state_->outstanding();
}
std::size_t Queue::depth() const {
  return state_->depth();
}
Status Queue::purge(Timeout timeout) {
  return state_->purge(timeout);
}

}  // namespace polder
