#include "core/post/queues.hpp"

#include "core/post/queue_state.hpp"

#include <mutex>
#include <utility>

namespace polder::core {

Queues::Queues(Ledger& ledger) : ledger_(ledger) {}
Queues::~Queues() = default;

std::unique_ptr<Queue> Queues::make(std::size_t depth) {
  return QueueState::make(ledger_, *this, depth, next_number(), QueueState::Use::user);
}

std::unique_ptr<Queue> Queues::make_internal() {
  return QueueState::make(ledger_, *this, SIZE_MAX, next_number(), QueueState::Use::internal);
}

QueueState& Queues::of(const Post& post) const {
  return post.queue == nullptr ? *default_ : post.queue->state();
}

void Queues::adopt(std::unique_ptr<QueueState> queue) {
  std::lock_guard lock(adopted_mutex_);
  std::erase_if(adopted_, [](const auto& old) { return !old->in_use(); });
  if (queue->in_use()) adopted_.push_back(std::move(queue));
}

}  // namespace polder::core

namespace polder {

Queue::~Queue() {
  if (state_ == nullptr) return;  // it was lent
  core::Queues& queues = state_->queues();
  queues.adopt(std::move(state_));
}

}  // namespace polder
