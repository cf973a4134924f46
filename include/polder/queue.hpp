// Queues: where operations are posted and awaited.
//
// A queue is a set of counters. Posting raises one; when the local memory of an operation is free again it counts as
// complete *locally*, when its effect is visible at the target it counts as complete *remotely*. To memory that this
// rank can load and store itself (ranks of one machine) operations are complete when the call returns and never fill a
// queue.
#pragma once

#include <polder/export.hpp>
#include <polder/ordering.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder {

namespace core {
class QueueState;
}

// local: the memory of this rank may be reused (puts), or has been filled (gets). remote: visible at the target.
enum class Completion : std::uint8_t { local, remote };

// invalid_argument for a value that is no Completion; for the calls that take one.
POLDER_API Status check(Completion completion);

// Made by Runtime::create_queue() with a depth of at least 1; must not outlive its runtime. Threads may share it. It may
// go before its operations have ended, but not while a thread is in one of its calls or posts to it: operations go on, a
// fence waits for them as ever, and failures that wait() has not told are lost.
class POLDER_API Queue {
 public:
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Waits until all operations posted so far are complete. timeout: some are still under way. peer_failed: all have
  // ended, but some without success since the last wait; the message is that of the first of them. Each failure is reported
  // once. closed: the runtime ends. invalid_argument: there is no such Completion.
  Status wait(Completion completion, Timeout timeout);

  // Operations posted and not yet complete remotely.
  std::size_t outstanding() const;

  // The number of outstanding operations at which posting returns queue_full (Timeout::test()) or waits.
  std::size_t depth() const;

  // Forgets failures that wait() has not reported yet, after waiting for what is under way. timeout: some still is; closed.
  Status purge(Timeout timeout);

 private:
  friend class core::QueueState;
  explicit Queue(std::unique_ptr<core::QueueState> state);
  std::unique_ptr<core::QueueState> state_;

 public:
  // For the runtime's own use.
  core::QueueState& state() const { return *state_; }
};

class Handle;

// When the call that posts an operation returns.
enum class Until : std::uint8_t {
  posted,  // at once; the queue, a handle or a fence tells when it is complete
  local,   // when the memory of this rank may be reused (puts; see RuntimeOptions::handoff), or has been filled (gets)
  remote,  // when it is visible at the target
};

// Where an operation goes, how long the call may wait for room there (and for what `ordering` and `until` demand), in
// which order it takes effect.
//
// Room is wanted in the queue, and in the network below it, whose own buffers may be full where the queue is not: the
// call waits for both, and before that for what it must not overtake: operations under way, where the order demands it,
// and what aggregate handles keep back. queue_full: that did not come in time, with Timeout::test() at once, and nothing
// was posted. What travels in several parts (large ones, and shapes) has
// begun with the first: the others wait for room as long as it takes, but for those of a handler (message.hpp).
// timeout: the target's segment, met for the first time, was not found in time, and nothing was posted; or, with
// Until::local and remote, the operation had not come so far. Then it is under way, and its memory is free again when
// the queue, or the handle, says so. peer_failed: the target is gone, or goes while the call waits.
struct Post {
  Queue* queue = nullptr;    // null: the runtime's default queue
  Handle* handle = nullptr;  // not null: counts the operation as well, and is told of its failure instead of the queue
  Timeout timeout = Timeout::block();
  Ordering ordering = Ordering::inherit;
  Until until = Until::posted;

  Post() = default;
  Post(Queue& q, Timeout t = Timeout::block())
      : queue(&q), timeout(t) {}  // NOLINT: implicit, so that callers write `queue`
  Post(Handle& h, Timeout t = Timeout::block()) : handle(&h), timeout(t) {}  // NOLINT: likewise
  Post(Timeout t) : timeout(t) {}                                            // NOLINT: likewise
  // A blocking call: posts and waits.
  Post(Until u, Timeout t = Timeout::block(), Ordering o = Ordering::inherit)  // NOLINT: likewise
      : timeout(t), ordering(o), until(u) {}
};

}  // namespace polder
