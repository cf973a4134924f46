// One-sided operations: what groups, mutexes and the façade see of this room.
#pragma once

#include "core/direct/update.hpp"
#include "core/post/parts.hpp"
#include "core/post/transfer.hpp"

#include <polder/accumulate.hpp>
#include <polder/queue.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::core {

struct PeerSegment;

// An accumulate whose arguments have been checked.
struct Accumulate {
  const Accumulation& how;
  const std::byte* source;
  GlobalAddress target;
  const Shape& shape;
  Post post;
};

class OneSided {
 public:
  OneSided(const PostPorts& ports, const PostOptions& options);

  // ---- operations ----
  // Checks everything, then copies or posts.
  Status transfer(const Transfer& transfer);
  // A flag alone; with `segment`, in this very segment and unchecked.
  Status post_flag(Rank rank, SegmentId id, const Notification& notification, const Post& post);
  Status post_flag(Rank rank, SegmentId id, const PeerSegment& segment, const Notification& notification,
                   const Post& post, Urgency urgency = Urgency::awaited);
  Status put_in_window(const WindowPut& put, const PeerSegment& segment, const Post& post);
  // Checks everything, changes the word, and returns its old value.
  Result<std::uint64_t> atomic(GlobalAddress target, const Update& update, Timeout timeout);
  // Likewise, or posts that; the low bytes of the old value are stored at `old`, if that is not null.
  Status post_atomic(GlobalAddress target, const Update& update, void* old, const Post& post);
  // Into memory that cannot be loaded and stored.
  Status accumulate(const Accumulate& call, const PeerSegment& segment);

  // Operations are under way as messages, or kept back: a direct store of a flag would overtake them. Part of the fast
  // path: a load.
  bool has_overtakable() const { return parts_.ledger.overtakable.load(std::memory_order_acquire) != 0; }

  // ---- waiting for what was posted ----
  Outstanding& operations() { return parts_.ledger.operations; }
  Outstanding& local_operations() { return parts_.ledger.local_operations; }
  Outstanding& operations_on(SegmentId id) { return parts_.ledger.of_segment(id); }
  // Nothing that users posted is under way or kept back.
  bool idle() const;
  // Posts what handles keep back for that rank. timeout: some still is.
  Status post_kept_for(Rank rank, Timeout timeout) { return parts_.ledger.post_kept_for(rank, timeout); }
  // Posts what handles keep back for anybody, now or as soon as there is room; has_met() says that it has been done.
  std::uint64_t demand_kept() { return parts_.ledger.demand_kept(); }
  bool has_met(std::uint64_t demand) const { return parts_.ledger.has_met(demand); }
  // Posts what is kept back, and waits for what counts in `which`. Nearly always, on one machine, there is neither.
  Status fence(Outstanding& which, Timeout timeout) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (parts_.ledger.nothing_kept() && which.count() == 0) [[likely]]
      return {};
    return complete(which, timeout);
  }
  // The runtime ends: waits for all that is under way, for so long. Says in the log what has not ended.
  void finish(Timeout timeout);

  // ---- queues ----
  Queue& default_queue() { return *parts_.default_queue; }
  Queue& internal_queue() { return *parts_.internal_queue; }
  std::unique_ptr<Queue> make_queue(std::size_t depth);
  // Whose operations are no business of fences.
  std::unique_ptr<Queue> make_internal_queue();

 private:
  Status complete(Outstanding& which, Timeout timeout);

  PostParts parts_;
};

}  // namespace polder::core
