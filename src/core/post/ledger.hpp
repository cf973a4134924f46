// What this rank has under way, counted in all the ways in which somebody may wait for it.
#pragma once

#include "core/progress/outstanding.hpp"
#include "util/mutex.hpp"
#include "util/sparse_table.hpp"

#include <polder/queue.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace polder::core {

class HandleState;
class Progress;
class QueueState;
struct Outside;

// Transfers that somebody keeps back until several can travel as one; whoever waits wants them posted first.
class KeptBack {
 public:
  // Errors are the handle's.
  virtual void post(HandleState& handle, Timeout timeout) = 0;
  virtual void post_all(Timeout timeout) = 0;

 protected:
  ~KeptBack() = default;
};

class Ledger {
 public:
  Ledger(Outside& outside, Progress& progress);
  ~Ledger();

  Outside& outside;
  Progress& progress;

  Outstanding operations;           // all that users posted
  Outstanding local_operations;     // those whose local memory is in use
  Outstanding internal_operations;  // of groups and mutexes: a fence does not wait for them
  // What a direct store of a flag would overtake: those of them that are messages, and handles that keep something back.
  std::atomic<std::int64_t> overtakable{0};
  Outstanding& of_segment(SegmentId id) {
    return segments_.find_or_insert(id, [] { return std::make_unique<Outstanding>(); });
  }

  // ---- what is kept back ----
  void set_kept_back(KeptBack& kept) { kept_ = &kept; }
  std::atomic<std::size_t> kept_back{0};  // handles that keep something back
  bool nothing_kept() const { return kept_back.load(std::memory_order_acquire) == 0; }
  // Posts what that handle, or all of them, keep back. A load where that is nothing.
  void post_kept(HandleState& handle, Timeout timeout) {
    if (!nothing_kept()) [[unlikely]]
      kept_->post(handle, timeout);
  }
  void post_all_kept(Timeout timeout) {
    if (!nothing_kept()) [[unlikely]]
      kept_->post_all(timeout);
  }

  // ---- queues ----
  void set_default_queue(QueueState& queue) { default_queue_ = &queue; }
  // The one that counts what is posted like this.
  QueueState& queue_of(const Post& post) const;
  std::uint16_t next_queue_number() { return queue_numbers_.fetch_add(1, std::memory_order_relaxed); }
  // Keeps the counters of a queue whose owner is gone until its operations have ended.
  void adopt(std::unique_ptr<QueueState> queue);

 private:
  KeptBack* kept_ = nullptr;
  QueueState* default_queue_ = nullptr;
  util::SparseTable<Outstanding> segments_;
  std::atomic<std::uint16_t> queue_numbers_{0};
  util::Mutex adopted_mutex_;
  std::vector<std::unique_ptr<QueueState>> adopted_;
};

}  // namespace polder::core
