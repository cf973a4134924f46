// The queues by id, looked up without a lock.
#pragma once

#include "api/gaspi/base/configuration.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/state/posted_requests.hpp"
#include "api/gaspi/state/tagged_requests.hpp"

#include <polder/queue.hpp>
#include <polder/runtime.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace polder::gaspi {

// A queue as the standard counts: what was posted stays in it until somebody has waited for it.
struct CountedQueue {
  CountedQueue(std::unique_ptr<Queue> made, unsigned size_max) : queue(std::move(made)), posted(size_max) {}

  Status wait(Timeout timeout);
  Status purge(Timeout timeout);

  // A request to a rank that was gone already has taken its place: the next wait fails with this.
  void lose(Status why);

  const std::unique_ptr<Queue> queue;
  PostedRequests posted;
  TaggedRequests tagged;

 private:
  Status take_loss();

  std::atomic<bool> has_lost_{false};
  std::mutex mutex_;  // of what follows
  Status lost_;
};

class QueueTable {
 public:
  QueueTable() = default;
  ~QueueTable();
  QueueTable(const QueueTable&) = delete;
  QueueTable& operator=(const QueueTable&) = delete;

  // Any thread. Null: there is no such queue.
  CountedQueue* find(gaspi_queue_id_t id) const {
    if (id >= kMaxQueues) [[unlikely]]
      return nullptr;
    return queues_[id].load(std::memory_order_acquire);
  }

  // A new queue under the lowest free id. Code::limit: all ids are taken.
  Status create(Runtime& runtime, unsigned size_max, gaspi_queue_id_t& id);
  // Waits for what is under way there. REQUIRES: no other thread uses the queue from now on.
  Status remove(gaspi_queue_id_t id, Timeout timeout);
  unsigned count() const;

 private:
  mutable std::mutex mutex_;  // of those who create and remove
  std::atomic<CountedQueue*> queues_[kMaxQueues] = {};
};

}  // namespace polder::gaspi
