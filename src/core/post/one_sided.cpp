#include "core/post/one_sided.hpp"

#include "core/peers/peers.hpp"
#include "core/post/atomic_posting.hpp"
#include "core/post/awaited.hpp"
#include "core/post/message_posting.hpp"
#include "core/post/order.hpp"
#include "core/post/post_transfer.hpp"
#include "core/post/queue_state.hpp"
#include "core/post/shape_walk.hpp"
#include "core/post/until.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/log.hpp"

namespace polder::core {
namespace {

ByteRange range_of(const Accumulate& call) {
  auto span = remote_span(call.shape);
  if (!span.ok()) return {};  // has been checked
  return {call.target.offset + std::uint64_t(span->lowest), call.target.offset + std::uint64_t(span->highest)};
}

}  // namespace

OneSided::OneSided(const PostPorts& ports, const PostOptions& options) : parts_(ports, options) {
  parts_.aggregates.set_posting([this](const Transfer& transfer) { return post_transfer(parts_, transfer); });
}

// ---- operations ----

Status OneSided::transfer(const Transfer& transfer) {
  return post_transfer(parts_, transfer);
}

Status OneSided::post_flag(Rank rank, SegmentId id, const Notification& notification, const Post& post) {
  return core::post_flag(parts_, rank, id, notification, post);
}

Status OneSided::post_flag(Rank rank, SegmentId id, const PeerSegment& segment, const Notification& notification,
                           const Post& post, Urgency urgency) {
  return core::post_flag(parts_, rank, id, segment, notification, post, urgency);
}

Status OneSided::put_in_window(const WindowPut& put, const PeerSegment& segment, const Post& post) {
  return post_to_window(parts_, put, segment, post);
}

Result<std::uint64_t> OneSided::atomic(GlobalAddress target, const Update& update, Timeout timeout) {
  return core::atomic(parts_, target, update, timeout);
}

Status OneSided::post_atomic(GlobalAddress target, const Update& update, void* old, const Post& post) {
  return core::post_atomic(parts_, target, update, old, post);
}

Status OneSided::accumulate(const Accumulate& call, const PeerSegment& segment) {
  const Coming coming{call.target, Access::accumulate, range_of(call), call.post.ordering};
  const util::Deadline deadline(call.post.timeout, parts_.ports.clock);
  if (Status status = wait_for_earlier(parts_, coming, deadline); !status.ok()) return status;
  Post rest = call.post;
  rest.timeout = deadline.remaining();
  return until_complete(rest, parts_.ports.clock, [&](const Post& how) {
    MessagePosting posting(parts_, {MessagePosting::Kind::accumulate, call.target, &call.how, how, &segment, nullptr});
    Status status =
        for_each_piece(call.shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) -> Status {
          return posting.add(const_cast<std::byte*>(call.source) + local, call.target.offset + std::uint64_t(remote),
                             bytes);
        });
    return status.ok() ? posting.flush(nullptr) : status;
  });
}

// ---- waiting for what was posted ----

bool OneSided::idle() const {
  return parts_.ledger.operations.count() == 0 && parts_.ledger.kept_back.load(std::memory_order_acquire) == 0;
}

Status OneSided::complete(Outstanding& which, Timeout timeout) {
  const util::Deadline deadline(timeout, parts_.ports.clock);
  if (Status status = parts_.ledger.post_all_kept(timeout); !status.ok()) return status;
  return drain(parts_.ports.progress, which, deadline.remaining(), {"a fence"});
}

void OneSided::finish(Timeout timeout) {
  const util::Deadline deadline(timeout, parts_.ports.clock);
  if (parts_.ledger.post_all_kept(timeout).timed_out())
    util::log(util::LogLevel::warning, "rank %u: what handles kept back found no room before their runtime ended",
              parts_.ports.outside.rank());
  for (Outstanding* each : {&parts_.ledger.operations, &parts_.ledger.internal_operations})
    if (Status status = drain(parts_.ports.progress, *each, deadline.remaining(), {"this runtime"}); status.timed_out())
      util::log(util::LogLevel::warning, "rank %u: %lld operations had not ended when their runtime did",
                parts_.ports.outside.rank(), static_cast<long long>(each->count()));
}

// ---- queues ----

std::unique_ptr<Queue> OneSided::make_queue(std::size_t depth) {
  return parts_.queues.make(depth);
}

std::unique_ptr<Queue> OneSided::make_internal_queue() {
  return parts_.queues.make_internal();
}

}  // namespace polder::core
