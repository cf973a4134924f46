#include "core/post/post_transfer.hpp"

#include "core/direct/copy_rows.hpp"
#include "core/direct/notification.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/post/device_posting.hpp"
#include "core/post/message_posting.hpp"
#include "core/post/order.hpp"
#include "core/post/parts.hpp"
#include "core/post/post_check.hpp"
#include "core/post/shape_walk.hpp"
#include "core/post/until.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/peer_segments.hpp"

#include <memory>
#include <string>

namespace polder::core {
namespace {

// What a transfer touches, once it has been checked.
struct Extent {
  std::size_t bytes = 0;
  ByteRange range;  // in the segment
};

Status copy_directly(const Transfer& transfer, const PeerSegment& segment) {
  std::byte* remote = segment.data + transfer.remote.offset;
  const bool is_put = transfer.kind == Transfer::Kind::put;
  return for_each_plane(transfer.shape, [&](const Plane& plane) -> Status {
    std::byte *here = transfer.local + plane.local, *there = remote + plane.remote;
    if (is_put)
      copy_rows({there, plane.remote_stride, here, plane.local_stride, plane.bytes, plane.count});
    else
      copy_rows({here, plane.local_stride, there, plane.remote_stride, plane.bytes, plane.count});
    return {};
  });
}

template <class Posting>
Status post_pieces(Posting& posting, const Transfer& transfer) {
  return for_each_piece(transfer.shape, [&](std::ptrdiff_t l, std::ptrdiff_t r, std::size_t bytes) {
    return posting.add(transfer.local + l, transfer.remote.offset + std::uint64_t(r), bytes);
  });
}

// A flag that the device raises would overtake requests by message, of which the device knows nothing: accumulates
// before it. queue_full: they are still under way.
Status let_requests_pass(PostParts& parts, const Transfer& transfer, Peer& peer, const PeerSegment& segment,
                         const util::Deadline& deadline) {
  const bool by_device = transfer.notification != nullptr && segment.data_region.put_get;
  if (!by_device || parts.ledger.overtakable.load(std::memory_order_acquire) == 0) return {};
  return not_posted(
      drain(parts.ports.progress, peer.operations, deadline.remaining(), {"messages to rank", peer.rank}));
}

// A flag would overtake what handles keep back. queue_full: that found no room in time.
Status let_kept_pass(PostParts& parts, Rank rank, const util::Deadline& deadline) {
  if (parts.ledger.nothing_kept()) return {};
  return not_posted(parts.ledger.post_kept_for(rank, deadline.remaining()));
}

// What an aggregate handle keeps back may have to go first, in what is left of the call's time.
Result<bool> keep_back(PostParts& parts, const Transfer& transfer, const util::Deadline& deadline) {
  const Handle* const handle = transfer.post.handle;
  if (handle == nullptr || handle->kind() != Handle::Kind::aggregate) return false;
  Transfer rest(transfer);
  rest.post.timeout = deadline.remaining();
  return parts.aggregates.keep(rest);
}

template <class Posting>
Status post_put(Posting& posting, const Transfer& transfer) {
  if (Status status = post_pieces(posting, transfer); !status.ok()) return status;
  return posting.flush(transfer.notification);
}

template <class Posting>
Status post_get(Posting& posting, const Transfer& transfer, const PeerSegment* flagged) {
  std::shared_ptr<SharedFlag> flag;
  if (flagged != nullptr) {
    flag = std::make_shared<SharedFlag>();
    flag->segment = flagged;
    flag->notification = *transfer.notification;
    flag->missing.store(1);
    posting.then_raise(flag);
  }
  Status status = post_pieces(posting, transfer);
  if (status.ok()) status = posting.flush(nullptr);
  if (status.ok() && flag != nullptr) flag->arrived();
  return status;
}

template <class Posting>
Status post_with(Posting&& posting, const Transfer& transfer, const PeerSegment* flagged) {
  if (transfer.kind == Transfer::Kind::get) return post_get(posting, transfer, flagged);
  return post_put(posting, transfer);
}

Access access_of(const Transfer& transfer, const PeerSegment& segment) {
  if (segment.data_region.put_get)
    return transfer.kind == Transfer::Kind::put ? Access::put_by_device : Access::get_by_device;
  return transfer.kind == Transfer::Kind::put ? Access::put_by_message : Access::get_by_message;
}

// A transfer that has been checked, to memory that cannot be loaded and stored. `deadline`: what is left of its timeout.
Status post(PostParts& parts, const Transfer& transfer, const PeerSegment& segment, const Extent& extent,
            const PeerSegment* flagged, const util::Deadline& deadline) {
  Peer& peer = parts.ports.peers.at(transfer.remote.rank);
  if (auto kept = keep_back(parts, transfer, deadline); !kept.ok() || *kept) return std::move(kept).status();
  if (transfer.notification != nullptr)
    if (Status status = let_kept_pass(parts, transfer.remote.rank, deadline); !status.ok()) return status;
  const Coming coming{transfer.remote, access_of(transfer, segment), extent.range, transfer.post.ordering,
                      transfer.was_kept};
  if (Status status = wait_for_earlier(parts, coming, deadline); !status.ok()) return status;
  if (Status status = let_requests_pass(parts, transfer, peer, segment, deadline); !status.ok()) return status;
  Post rest = transfer.post;
  rest.timeout = deadline.remaining();
  return until_complete(rest, parts.ports.clock, [&](const Post& how) {
    Transfer counted(transfer);
    counted.post = how;
    if (segment.data_region.put_get)
      return post_with(DevicePosting(parts, counted, peer, segment, flagged, extent.bytes), counted, flagged);
    const auto kind = transfer.kind == Transfer::Kind::put ? MessagePosting::Kind::put : MessagePosting::Kind::get;
    return post_with(MessagePosting(parts, {kind, transfer.remote, nullptr, how, &segment, flagged}), counted, flagged);
  });
}

Status check_shape(const Transfer& transfer, const PeerSegment& segment, Extent& extent) {
  const char* what = transfer.kind == Transfer::Kind::put ? "put" : "get";
  if (transfer.shape.kind() == Shape::Kind::contiguous) {
    extent.bytes = transfer.shape.bytes();
    extent.range = {transfer.remote.offset, transfer.remote.offset + extent.bytes};
    return check_range(what, segment, transfer.remote, extent.bytes);
  }
  auto span = remote_span(transfer.shape);
  if (!span.ok()) return std::move(span).status();
  extent.bytes = span->bytes;
  const std::uint64_t below = span->lowest < 0 ? std::uint64_t(-span->lowest) : 0;
  if (below > transfer.remote.offset)
    return {Code::invalid_offset, describe(what, transfer.remote, extent.bytes) + " begins " +
                                      std::to_string(below - transfer.remote.offset) + " bytes before the segment"};
  const std::uint64_t above = span->highest < 0 ? 0 : std::uint64_t(span->highest);
  if (above > UINT64_MAX - transfer.remote.offset) return check_range(what, segment, transfer.remote, above);
  GlobalAddress lowest = transfer.remote;
  lowest.offset += std::uint64_t(span->lowest);
  extent.range = {lowest.offset, lowest.offset + std::uint64_t(span->highest - span->lowest)};
  return check_range(what, segment, lowest, std::uint64_t(span->highest - span->lowest));
}

}  // namespace

Status post_transfer(PostParts& parts, const Transfer& transfer) {
  if (Status status = check_post(transfer.post); !status.ok()) return status;
  const util::Deadline deadline(transfer.post.timeout, parts.ports.clock);
  const bool is_put = transfer.kind == Transfer::Kind::put;
  Extent extent;
  auto resolved =
      parts.ports.segments.checked(transfer.remote.rank, transfer.remote.segment, transfer.post.timeout,
                                   [&](const PeerSegment& segment) { return check_shape(transfer, segment, extent); });
  if (!resolved.ok()) return std::move(resolved).status();
  const PeerSegment& segment = **resolved;
  if (transfer.only != nullptr && transfer.only != &segment) return Code::invalid_segment;
  if (transfer.local == nullptr && extent.bytes != 0)
    return {Code::invalid_argument,
            describe(is_put ? "put" : "get", transfer.remote, extent.bytes) + ": the local pointer is null"};
  const PeerSegment* flagged = nullptr;
  Notification notification;
  Transfer checked{transfer.kind, transfer.local, transfer.remote,  transfer.shape,   nullptr,
                   transfer.post, nullptr,        transfer.urgency, transfer.was_kept};
  if (transfer.notification != nullptr) {
    notification = *transfer.notification;
    if (notification.segment == kAnySegment) notification.segment = transfer.remote.segment;
    const Rank at = is_put ? transfer.remote.rank : parts.ports.outside.rank();
    auto found = parts.ports.segments.checked(
        at, notification.segment, deadline.remaining(),
        [&](const PeerSegment& with) { return check_flag(at, notification.segment, with, notification); });
    if (!found.ok()) return std::move(found).status();
    flagged = *found;
    if (is_put && transfer.only != nullptr && transfer.only != flagged) return Code::invalid_segment;
    checked.notification = &notification;
  }
  if (segment.data == nullptr) return core::post(parts, checked, segment, extent, flagged, deadline);
  if (Status status = copy_directly(checked, segment); !status.ok()) return status;
  if (flagged == nullptr) return {};
  if (!is_put) {
    raise_flag(*flagged, notification);
    return {};
  }
  Post rest = transfer.post;
  rest.timeout = deadline.remaining();
  return post_flag(parts, transfer.remote.rank, notification.segment, notification, rest);
}

Status post_flag(PostParts& parts, Rank rank, SegmentId id, const Notification& notification, const Post& post) {
  if (Status status = check_post(post); !status.ok()) return status;
  const util::Deadline deadline(post.timeout, parts.ports.clock);
  auto resolved = parts.ports.segments.checked(
      rank, id, post.timeout, [&](const PeerSegment& with) { return check_flag(rank, id, with, notification); });
  if (!resolved.ok()) return std::move(resolved).status();
  Post rest = post;
  rest.timeout = deadline.remaining();
  return post_flag(parts, rank, id, **resolved, notification, rest);
}

Status post_flag(PostParts& parts, Rank rank, SegmentId id, const PeerSegment& segment,
                 const Notification& notification, const Post& post, Urgency urgency) {
  const util::Deadline deadline(post.timeout, parts.ports.clock);
  // It must not overtake what goes to this peer by message, nor what is kept back.
  if (Status status = let_kept_pass(parts, rank, deadline); !status.ok()) return status;
  const bool alone = parts.ledger.overtakable.load(std::memory_order_acquire) == 0 ||
                     parts.ports.peers.at(rank).operations.count() == 0;
  if (segment.control != nullptr && alone) {
    raise_flag(segment, notification);
    return {};
  }
  Notification placed = notification;
  placed.segment = id;
  const Shape nothing(0);
  const Transfer flag{Transfer::Kind::put, nullptr, {rank, id, 0}, nothing, &placed, post, nullptr, urgency};
  return core::post(parts, flag, segment, {}, &segment, deadline);
}

Status post_to_window(PostParts& parts, const WindowPut& put, const PeerSegment& segment, const Post& post) {
  Notification placed;
  if (put.notification != nullptr) placed = *put.notification;
  placed.segment = segment.id;
  const Shape shape(put.bytes);
  const std::uint64_t at = device::window_offset(put.window) + put.offset;
  const Transfer transfer{Transfer::Kind::put,
                          const_cast<std::byte*>(put.local),
                          {segment.rank, segment.id, at - segment.data_offset},
                          shape,
                          put.notification == nullptr ? nullptr : &placed,
                          post,
                          nullptr,
                          Urgency::unawaited};
  return core::post(parts, transfer, segment, {put.bytes, {at, at + put.bytes}}, &segment,
                    util::Deadline(post.timeout, parts.ports.clock));
}

}  // namespace polder::core
