#include "core/post/message_posting.hpp"

#include "core/message/messaging.hpp"
#include "core/peers/peers.hpp"
#include "core/post/parts.hpp"
#include "core/post/queue_state.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/hazards.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <cstring>

namespace polder::core {
namespace {

HandleState* state_of(PostParts& parts, const Post& post) {
  return post.handle == nullptr ? nullptr : &HandleState::of(parts.ledger, *post.handle);
}

ByteRange range_of(const device::Piece& piece) {
  return {piece.remote, piece.remote + piece.bytes};
}

}  // namespace

MessagePosting::MessagePosting(PostParts& parts, const What& what)
    : parts_(parts),
      what_(what),
      peer_(parts.ports.peers.at(what.target.rank)),
      hazards_(parts.ports.segments.hazards_of(what.target.rank, what.target.segment)),
      queue_(parts.queues.of(what.post)),
      handle_(state_of(parts, what.post)),
      deadline_(what.post.timeout, parts.ports.clock),
      largest_(parts.ports.emulation.max_payload()),
      room_(std::min(largest_, parts.staging.buffer_bytes())) {}

MessagePosting::~MessagePosting() {
  if (buffer_ != nullptr) parts_.staging.give_back(buffer_);
}

// Whether `piece` can travel with what has been gathered: at worst the first piece and this one are a run each.
bool MessagePosting::fits(const device::Piece& piece) const {
  const std::size_t data = used_ + (pieces_ == 1 ? first_.bytes : 0) + piece.bytes;
  const std::size_t runs = runs_.size_bytes() + (pieces_ == 1 ? 2 : 1) * sizeof(PackedRun);
  return runs_.has_room() && data + runs <= room_;
}

// A half of an accumulate could be neither taken back nor posted again, and in a handler the other half may find no room.
bool MessagePosting::may_take_parts() const {
  return what_.kind != Kind::accumulate || !parts_.ports.messaging.in_handler();
}

Status MessagePosting::add(std::byte* local, std::uint64_t remote, std::size_t bytes) {
  while (bytes != 0) {
    const std::size_t part = std::min(bytes, largest_);
    if (Status status = gather({local, remote, part}); !status.ok()) return status;
    local += part;
    remote += part;
    bytes -= part;
  }
  return {};
}

Status MessagePosting::gather(const device::Piece& piece) {
  if (pieces_ != 0 && !fits(piece)) {
    if (!may_take_parts()) return Status(Code::invalid_size, "accumulate: more than a handler can send in one message");
    if (Status status = flush(nullptr); !status.ok()) return status;
  }
  if (pieces_ == 0) {
    first_ = piece;
    range_ = range_of(piece);
    pieces_ = 1;
    return {};
  }
  if (pieces_ == 1)
    if (Status status = start_packing(); !status.ok()) return status;
  pack(piece);
  ++pieces_;
  return {};
}

Status MessagePosting::start_packing() {
  auto buffer = parts_.staging.take(begun_ ? parts_.patience_of_the_rest() : deadline_.remaining());
  if (!buffer.ok()) return std::move(buffer).status();
  buffer_ = *buffer;
  pack(first_);
  return {};
}

void MessagePosting::pack(const device::Piece& piece) {
  runs_.add(piece.remote, std::uint32_t(piece.bytes));
  range_.widen(range_of(piece));
  if (what_.kind == Kind::get)
    scatter_.push_back(piece);
  else
    util::copy(buffer_->data + used_, piece.local, piece.bytes);
  used_ += piece.bytes;
}

NamedFlag MessagePosting::flag_of(const Notification* notification) const {
  return notification == nullptr ? NamedFlag{} : NamedFlag{notification, what_.flagged->generation};
}

Status MessagePosting::flush(const Notification* notification) {
  if (pieces_ == 0 && notification == nullptr) return {};
  Status status;
  if (pieces_ > 1) {
    status = send_packed(notification);
  } else {
    const device::Piece piece = pieces_ == 0 ? device::Piece{} : first_;
    const NamedSegment segment{what_.target.segment, what_.segment->generation};
    status = post(range_of(piece), [&](Operation* operation) {
      switch (what_.kind) {
        case Kind::put: return parts_.ports.emulation.put(peer_, segment, piece, flag_of(notification), operation);
        case Kind::get: return parts_.ports.emulation.get(peer_, segment, piece, operation);
        case Kind::accumulate: break;
      }
      return parts_.ports.emulation.accumulate(peer_, segment, piece, *what_.how, operation);
    });
  }
  reset();
  return status;
}

Status MessagePosting::send_packed(const Notification* notification) {
  const std::size_t data = what_.kind == Kind::get ? 0 : used_;
  std::memcpy(buffer_->data + data, runs_.runs().data(), runs_.size_bytes());
  const Emulation::Packed packed{
      .body = {buffer_->data, data + runs_.size_bytes()}, .runs = std::uint32_t(runs_.runs().size()), .bytes = used_};
  const NamedSegment segment{what_.target.segment, what_.segment->generation};
  return post(range_, [&](Operation* operation) {
    switch (what_.kind) {
      case Kind::put:
        return parts_.ports.emulation.put_packed(peer_, segment, packed, flag_of(notification), operation);
      case Kind::get: return parts_.ports.emulation.get_packed(peer_, segment, packed, scatter_, operation);
      case Kind::accumulate: break;
    }
    return parts_.ports.emulation.accumulate_packed(peer_, segment, packed, *what_.how, operation);
  });
}

template <class Send>
Status MessagePosting::post(const ByteRange& range, Send&& send) {
  const Timeout patience = begun_ ? parts_.patience_of_the_rest() : deadline_.remaining();
  if (Status status = queue_.admit(patience); !status.ok()) return status;
  Operation* operation = parts_.pool.take();
  operation->begin({.queue = &queue_,
                    .peer = &peer_,
                    .segment = &parts_.ledger.of_segment(what_.target.segment),
                    .emulated = true,
                    .reads = what_.kind == Kind::get,
                    .handle = handle_,
                    .ranges = what_.kind == Kind::get ? nullptr : &hazards_.messages,
                    .range = range});
  if (flag_ != nullptr) {
    flag_->missing.fetch_add(1, std::memory_order_relaxed);
    operation->then_raise(flag_);
  }
  Status status = parts_.ports.peers.post_until_accepted(
      peer_, [&] { return send(operation); }, patience);
  if (!status.ok()) {
    operation->withdraw();
    return status;
  }
  parts_.ports.progress.count_posted(pieces_ > 1 ? used_ : pieces_ == 1 ? first_.bytes : 0);
  begun_ = true;
  return {};
}

void MessagePosting::reset() {
  if (buffer_ != nullptr) parts_.staging.give_back(std::exchange(buffer_, nullptr));
  pieces_ = 0;
  used_ = 0;
  runs_.clear();
  scatter_.clear();
}

}  // namespace polder::core
