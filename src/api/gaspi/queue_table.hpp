// The queues by id, looked up without a lock.
#pragma once

#include "api/gaspi/configuration.hpp"
#include "api/gaspi/symbols.hpp"

#include <polder/queue.hpp>
#include <polder/runtime.hpp>

#include <atomic>
#include <memory>
#include <mutex>

namespace polder::gaspi {

class QueueTable {
 public:
  QueueTable() = default;
  ~QueueTable();
  QueueTable(const QueueTable&) = delete;
  QueueTable& operator=(const QueueTable&) = delete;

  // Any thread. Null: there is no such queue.
  Queue* find(gaspi_queue_id_t id) const {
    if (id >= kMaxQueues) [[unlikely]]
      return nullptr;
    return queues_[id].load(std::memory_order_acquire);
  }

  // A new queue under the lowest free id. Code::limit: all ids are taken.
  Status create(Runtime& runtime, std::size_t depth, gaspi_queue_id_t& id);
  // Waits for what is under way there. REQUIRES: no other thread uses the queue from now on.
  Status remove(gaspi_queue_id_t id, Timeout timeout);
  unsigned count() const;

 private:
  mutable std::mutex mutex_;  // of those who create and remove
  std::atomic<Queue*> queues_[kMaxQueues] = {};
};

}  // namespace polder::gaspi
