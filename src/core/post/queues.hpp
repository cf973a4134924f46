// The queues of a rank: the one for what names none, those that somebody makes, and the counters of those whose owners are gone.
#pragma once

#include "util/mutex.hpp"

#include <polder/queue.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::core {

class Ledger;
class QueueState;

// Thread safe. Must outlive the queues that it made.
class Queues {
 public:
  explicit Queues(Ledger& ledger);
  ~Queues();

  std::unique_ptr<Queue> make(std::size_t depth);
  std::unique_ptr<Queue> make_internal();  // of groups: fences do not wait for it, and it has room for any number

  // The one that counts what is posted like this.
  QueueState& of(const Post& post) const;
  void set_default(QueueState& queue) { default_ = &queue; }

  // Keeps the counters of a queue whose owner is gone until its operations have ended, also those that handles keep back.
  void adopt(std::unique_ptr<QueueState> queue);

 private:
  std::uint16_t next_number() { return numbers_.fetch_add(1, std::memory_order_relaxed); }

  Ledger& ledger_;
  QueueState* default_ = nullptr;
  std::atomic<std::uint16_t> numbers_{0};
  util::Mutex adopted_mutex_;
  std::vector<std::unique_ptr<QueueState>> adopted_;
};

}  // namespace polder::core
