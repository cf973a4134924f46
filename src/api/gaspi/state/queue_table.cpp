#include "api/gaspi/state/queue_table.hpp"

#include <algorithm>

namespace polder::gaspi {

Status CountedQueue::wait(Timeout timeout) {
  const std::uint64_t before = posted.total();
  Status status = queue->wait(Completion::local, timeout);
  if (!status.timed_out() && has_lost_.load(std::memory_order_acquire)) [[unlikely]] {
    Status loss = take_loss();
    if (status.ok()) status = std::move(loss);
  }
  // Failed ones stay: the program purges the queue.
  if (status.ok()) posted.completed(before);
  return status;
}

void CountedQueue::lose(Status why) {
  const std::lock_guard lock(mutex_);
  lost_ = std::move(why);
  has_lost_.store(true, std::memory_order_release);
}

Status CountedQueue::take_loss() {
  const std::lock_guard lock(mutex_);
  has_lost_.store(false, std::memory_order_relaxed);
  return std::exchange(lost_, Status());
}

Status CountedQueue::purge(Timeout timeout) {
  const std::uint64_t before = posted.total();
  Status status = queue->purge(timeout);
  if (!status.ok()) return status;
  (void)take_loss();
  posted.completed(before);
  return status;
}

QueueTable::~QueueTable() {
  for (auto& queue : queues_) delete queue.load();
}

Status QueueTable::create(Runtime& runtime, unsigned size_max, gaspi_queue_id_t& id) {
  const std::lock_guard lock(mutex_);
  const auto free = std::ranges::find_if(queues_, [](const auto& queue) { return queue.load() == nullptr; });
  if (free == std::end(queues_)) return {Code::limit, "gaspi_queue_create: all queues that there can be exist"};
  auto queue = runtime.create_queue(size_max);
  if (!queue.ok()) return std::move(queue).status();
  free->store(new CountedQueue(*std::move(queue), size_max), std::memory_order_release);
  id = gaspi_queue_id_t(free - std::begin(queues_));
  return {};
}

Status QueueTable::remove(gaspi_queue_id_t id, Timeout timeout) {
  const std::lock_guard lock(mutex_);
  CountedQueue* const queue = find(id);
  if (queue == nullptr) return Code::invalid_queue;
  if (Status purged = queue->purge(timeout); !purged.ok()) return purged;
  queues_[id].store(nullptr);
  delete queue;
  return {};
}

unsigned QueueTable::count() const {
  return unsigned(std::ranges::count_if(queues_, [](const auto& queue) { return queue.load() != nullptr; }));
}

}  // namespace polder::gaspi
