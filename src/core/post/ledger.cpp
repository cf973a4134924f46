#include "core/post/ledger.hpp"

#include "core/post/queue_state.hpp"

#include <utility>

namespace polder::core {

Ledger::Ledger(Outside& with, Progress& by) : outside(with), progress(by), segments_(kSegmentIdLimit) {}
Ledger::~Ledger() = default;

QueueState& Ledger::queue_of(const Post& post) const {
  return post.queue == nullptr ? *default_queue_ : post.queue->state();
}

void Ledger::adopt(std::unique_ptr<QueueState> queue) {
  std::lock_guard lock(adopted_mutex_);
  std::erase_if(adopted_, [](const auto& old) { return !old->in_use(); });
  if (queue->in_use()) adopted_.push_back(std::move(queue));
}

}  // namespace polder::core
