// The counters behind a Queue.
#pragma once

#include "core/progress/outstanding.hpp"
#include "util/mutex.hpp"

#include <polder/queue.hpp>
#include <polder/types.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace polder::core {

class Ledger;
class Queues;

class QueueState {
 public:
  // Whose operations a queue holds. Those of groups are no business of fences.
  enum class Use : std::uint8_t { user, internal };
  QueueState(Ledger& ledger, Queues& queues, std::size_t depth, std::uint16_t number, Use use)
      : ledger_(ledger), queues_(queues), depth_(depth), number_(number), use_(use) {}

  static std::unique_ptr<Queue> make(Ledger& ledger, Queues& queues, std::size_t depth, std::uint16_t number, Use use);

  Status wait(Completion completion, Timeout timeout);
  // wait() would do nothing and succeed, which it nearly always does on one machine; false where it is traced.
  bool nothing_to_wait_for(Completion completion) const;
  Status purge(Timeout timeout);
  std::size_t outstanding() const { return std::size_t(remote.count()); }
  std::size_t depth() const { return depth_; }
  std::uint16_t number() const { return number_; }
  bool internal() const { return use_ == Use::internal; }
  Queues& queues() const { return queues_; }  // it is one of them

  // Success if there is room for one more; else waits for it.
  Status admit(Timeout timeout);

  void note_failure(const Status& status);

  Outstanding local;
  Outstanding remote;

  // What handles keep back for this queue may be posted when the queue is gone, so the counters stay until then.
  void begin_keeping() { kept_.fetch_add(1, std::memory_order_relaxed); }
  void end_keeping() { kept_.fetch_sub(1, std::memory_order_release); }  // this may be gone after it
  // In this order: what is kept no more is outstanding, or has ended.
  bool in_use() const { return kept_.load(std::memory_order_acquire) != 0 || outstanding() != 0; }

  // A Queue that counts here as well, for as long as it lives.
  class Lent {
   public:
    explicit Lent(QueueState& state) : queue_(std::unique_ptr<QueueState>(&state)) {}
    ~Lent() { (void)queue_.state_.release(); }
    Queue& queue() { return queue_; }

   private:
    Queue queue_;
  };

 private:
  Status take_failure();

  Ledger& ledger_;
  Queues& queues_;
  const std::size_t depth_;
  const std::uint16_t number_;
  const Use use_;
  std::atomic<std::size_t> kept_{0};  // handles that keep something back
  std::atomic<bool> failed_{false};
  util::Mutex failure_mutex_;
  Status failure_;
};

}  // namespace polder::core
