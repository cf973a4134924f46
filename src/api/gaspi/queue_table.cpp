#include "api/gaspi/queue_table.hpp"

#include <algorithm>

namespace polder::gaspi {

QueueTable::~QueueTable() {
  for (auto& queue : queues_) delete queue.load();
}

Status QueueTable::create(Runtime& runtime, std::size_t depth, gaspi_queue_id_t& id) {
  const std::lock_guard lock(mutex_);
  const auto free = std::ranges::find_if(queues_, [](const auto& queue) { return queue.load() == nullptr; });
  if (free == std::end(queues_)) return {Code::limit, "gaspi_queue_create: all queues that there can be exist"};
  auto queue = runtime.create_queue(depth);
  if (!queue.ok()) return std::move(queue).status();
  free->store((*queue).release(), std::memory_order_release);
  id = gaspi_queue_id_t(free - std::begin(queues_));
  return {};
}

Status QueueTable::remove(gaspi_queue_id_t id, Timeout timeout) {
  const std::lock_guard lock(mutex_);
  Queue* const queue = find(id);
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
