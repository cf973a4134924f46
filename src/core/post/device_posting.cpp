#include "core/post/device_posting.hpp"

#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/post/parts.hpp"
#include "core/post/queue_state.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/hazards.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <utility>

namespace polder::core {
namespace {

// What must be back in the caller's hands soon, and is not so large that copying it costs more than waiting.
bool goes_by_the_pool(const PostParts& parts, const Transfer& transfer, std::size_t bytes) {
  return transfer.kind == Transfer::Kind::put && transfer.post.until == Until::local && parts.staging.handoff() &&
         bytes <= parts.staging.handoff_limit();
}

}  // namespace

DevicePosting::DevicePosting(PostParts& parts, const Transfer& transfer, Peer& peer, const PeerSegment& segment,
                             const PeerSegment* flagged, std::size_t bytes)
    : parts_(parts),
      transfer_(transfer),
      peer_(peer),
      segment_(segment),
      flagged_(flagged),
      hazards_(parts.ports.segments.hazards_of(transfer.remote.rank, transfer.remote.segment)),
      queue_(parts.queues.of(transfer.post)),
      handle_(transfer.post.handle == nullptr ? nullptr : &HandleState::of(parts.ledger, *transfer.post.handle)),
      deadline_(transfer.post.timeout, parts.ports.clock),
      staged_(goes_by_the_pool(parts, transfer, bytes)),
      copied_(parts.ports.outside.device->capabilities().copied_at_once) {}

DevicePosting::~DevicePosting() {
  if (buffer_ != nullptr) parts_.staging.give_back(buffer_);
}

Status DevicePosting::add(std::byte* local, std::uint64_t remote, std::size_t bytes) {
  if (!staged_ || bytes <= copied_) return gather({local, remote, bytes});
  while (bytes != 0) {
    const std::size_t part = std::min(bytes, parts_.staging.buffer_bytes());
    auto staged = stage(local, part);
    if (!staged.ok()) return std::move(staged).status();
    if (Status status = gather({*staged, remote, part}); !status.ok()) return status;
    local += part;
    remote += part;
    bytes -= part;
  }
  return {};
}

Status DevicePosting::gather(const device::Piece& piece) {
  if (count_ == kBatch)
    if (Status status = flush(nullptr); !status.ok()) return status;
  const ByteRange range{piece.remote, piece.remote + piece.bytes};
  if (count_ == 0) {
    range_ = range;
    largest_ = piece.bytes;
  } else {
    range_.widen(range);
    largest_ = std::max(largest_, piece.bytes);
  }
  pieces_[count_++] = {piece.local, piece.remote + segment_.data_offset, piece.bytes};
  return {};
}

// A copy in a buffer of the pool.
Result<std::byte*> DevicePosting::stage(const std::byte* local, std::size_t bytes) {
  if (count_ == kBatch || (buffer_ != nullptr && used_ + bytes > parts_.staging.buffer_bytes()))
    if (Status status = flush(nullptr); !status.ok()) return status;
  if (buffer_ == nullptr) {
    auto buffer = parts_.staging.take(begun_ ? parts_.patience_of_the_rest() : deadline_.remaining());
    if (!buffer.ok()) return std::move(buffer).status();
    buffer_ = *buffer;
    used_ = 0;
  }
  std::byte* place = buffer_->data + used_;
  util::copy(place, local, bytes);
  used_ += bytes;
  return place;
}

Status DevicePosting::flush(const Notification* notification) {
  if (count_ == 0 && notification == nullptr) return {};
  const Timeout patience = begun_ ? parts_.patience_of_the_rest() : deadline_.remaining();
  if (Status status = queue_.admit(patience); !status.ok()) return status;
  Operation* operation = parts_.pool.take();
  const bool is_put = transfer_.kind == Transfer::Kind::put;
  const bool copied = is_put && buffer_ == nullptr && largest_ <= copied_;
  operation->begin({.queue = &queue_,
                    .peer = &peer_,
                    .segment = &parts_.ledger.of_segment(transfer_.remote.segment),
                    .reads = !is_put,
                    .handle = handle_,
                    .ranges = count_ == 0 ? nullptr
                              : is_put    ? &hazards_.puts
                                          : &hazards_.gets,
                    .range = range_,
                    .staging = std::exchange(buffer_, nullptr),
                    .copied = copied});
  if (flag_ != nullptr) {
    flag_->missing.fetch_add(1, std::memory_order_relaxed);
    operation->then_raise(flag_);
  }
  Status status = parts_.ports.peers.post_until_accepted(
      peer_, [&] { return hand_over(operation, notification); }, patience);
  if (!status.ok()) {
    operation->withdraw();
    return status;
  }
  begun_ = true;
  std::uint64_t posted = 0;
  for (std::size_t i = 0; i < count_; ++i) posted += pieces_[i].bytes;
  parts_.ports.progress.count_posted(posted);
  count_ = 0;
  largest_ = 0;
  return {};
}

Status DevicePosting::hand_over(Operation* operation, const Notification* notification) {
  const std::span<const device::Piece> pieces(pieces_.data(), count_);
  const device::Region& region = segment_.data_region;
  if (!operation->hold(segment_) || (notification != nullptr && !operation->hold(*flagged_)))
    return {Code::invalid_segment,
            describe(transfer_.kind == Transfer::Kind::put ? "put" : "get", transfer_.remote, transfer_.shape.bytes()) +
                ": the segment was deleted meanwhile"};
  if (transfer_.kind == Transfer::Kind::get)
    return parts_.ports.outside.device->get(peer_.rank, region, pieces, operation);
  if (notification == nullptr) return parts_.ports.outside.device->put(peer_.rank, region, pieces, operation);
  const device::Flag flag{SegmentControl::flag_offset(notification->id),
                          SegmentControl::bell_offset(),
                          notification->value,
                          notification->op == NotificationOp::add,
                          transfer_.urgency >= Urgency::in_company,
                          transfer_.urgency == Urgency::followed,
                          transfer_.urgency != Urgency::awaited};
  return parts_.ports.outside.device->put_notify(peer_.rank, region, pieces, flagged_->control_region, flag, operation);
}

}  // namespace polder::core
