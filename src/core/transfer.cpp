#include "core/transfer.hpp"

#include "core/engine.hpp"
#include "core/notification.hpp"
#include "core/shape_walk.hpp"
#include "util/copy.hpp"

#include <array>
#include <memory>
#include <string>

namespace polder::core {
namespace {

// Pieces are handed to a device in batches of this many, kept on the stack.
constexpr std::size_t kBatch = 32;

QueueState& queue_of(Engine& engine, const Post& post) {
  return (post.queue != nullptr ? post.queue : engine.default_queue.get())->state();
}

// A transfer to memory that cannot be loaded and stored: gathers pieces into operations and posts them.
class Posting {
 public:
  Posting(Engine& engine, const Transfer& transfer, Peer& peer, const PeerSegment& segment)
      : engine_(engine),
        transfer_(transfer),
        peer_(peer),
        segment_(segment),
        queue_(queue_of(engine, transfer.post)),
        deadline_(transfer.post.timeout),
        emulated_(!segment.data_region.put_get) {}

  // `remote` counts from the start of the segment's data.
  Status add(std::byte* local, std::uint64_t remote, std::size_t bytes) {
    const std::size_t largest = emulated_ ? engine_.emulation.max_payload() : bytes;
    while (bytes != 0) {
      if (count_ == (emulated_ ? 1 : kBatch))
        if (Status status = flush(nullptr); !status.ok()) return status;
      const std::size_t part = bytes < largest ? bytes : largest;
      pieces_[count_++] = {local, remote, part};
      local += part;
      remote += part;
      bytes -= part;
    }
    return {};
  }

  void then_raise(std::shared_ptr<SharedFlag> flag) { flag_ = std::move(flag); }

  // Posts what has been gathered. With a notification, that rides on it, even if nothing else does.
  Status flush(const Notification* notification) {
    if (count_ == 0 && notification == nullptr) return {};
    // Once the first part is on its way the rest must follow: only the first may find the queue full.
    const Timeout patience = begun_ ? Timeout::block() : deadline_.remaining();
    if (Status status = queue_.admit(patience); !status.ok()) return status;
    Operation* operation = engine_.pool.take();
    operation->begin({&queue_, &peer_, &engine_.segment_operations(transfer_.remote.segment), emulated_});
    if (flag_ != nullptr) {
      flag_->missing.fetch_add(1, std::memory_order_relaxed);
      operation->then_raise(flag_);
    }
    Status status = engine_.post_until_accepted(
        peer_, [&] { return emulated_ ? by_message(operation, notification) : by_device(operation, notification); },
        patience);
    if (!status.ok()) {
      operation->withdraw();
      return status;
    }
    begun_ = true;
    count_ = 0;
    return {};
  }

 private:
  Status by_message(Operation* operation, const Notification* notification) {
    const device::Piece piece = count_ == 0 ? device::Piece{nullptr, 0, 0} : pieces_[0];
    if (transfer_.kind == Transfer::Kind::get)
      return engine_.emulation.get(peer_, transfer_.remote.segment, piece, operation);
    return engine_.emulation.put(peer_, transfer_.remote.segment, piece, notification, operation);
  }

  Status by_device(Operation* operation, const Notification* notification) {
    std::array<device::Piece, kBatch> moved = pieces_;
    for (std::size_t i = 0; i < count_; ++i) moved[i].remote += segment_.data_offset;
    const std::span<const device::Piece> pieces(moved.data(), count_);
    const device::Region& region = segment_.data_region;
    if (transfer_.kind == Transfer::Kind::get) return engine_.device->get(peer_.rank, region, pieces, operation);
    if (notification == nullptr) return engine_.device->put(peer_.rank, region, pieces, operation);
    auto flagged = engine_.peers.resolve(peer_.rank, notification->segment, deadline_.remaining());
    if (!flagged.ok()) return std::move(flagged).status();
    const device::Flag flag{SegmentControl::flag_offset(notification->id), SegmentControl::bell_offset(),
                            notification->value};
    return engine_.device->put_notify(peer_.rank, region, pieces, (*flagged)->control_region, flag, operation);
  }

  Engine& engine_;
  const Transfer& transfer_;
  Peer& peer_;
  const PeerSegment& segment_;
  QueueState& queue_;
  const util::Deadline deadline_;
  const bool emulated_;
  bool begun_ = false;
  std::shared_ptr<SharedFlag> flag_;
  std::array<device::Piece, kBatch> pieces_;
  std::size_t count_ = 0;
};

Status copy_directly(const Transfer& transfer, const PeerSegment& segment) {
  std::byte* remote = segment.data + transfer.remote.offset;
  if (transfer.kind == Transfer::Kind::put)
    return for_each_piece(transfer.shape, [&](std::ptrdiff_t l, std::ptrdiff_t r, std::size_t bytes) -> Status {
      util::copy(remote + r, transfer.local + l, bytes);
      return {};
    });
  return for_each_piece(transfer.shape, [&](std::ptrdiff_t l, std::ptrdiff_t r, std::size_t bytes) -> Status {
    util::copy(transfer.local + l, remote + r, bytes);
    return {};
  });
}

Status post_pieces(Posting& posting, const Transfer& transfer) {
  return for_each_piece(transfer.shape, [&](std::ptrdiff_t l, std::ptrdiff_t r, std::size_t bytes) {
    return posting.add(transfer.local + l, transfer.remote.offset + std::uint64_t(r), bytes);
  });
}

// A flag that the device raises would overtake requests by message, of which the device knows nothing: accumulates
// before it.
Status let_requests_pass(Engine& engine, const Transfer& transfer, Peer& peer, const PeerSegment& segment) {
  const bool by_device = transfer.notification != nullptr && segment.data_region.put_get;
  if (!by_device || engine.emulated.load(std::memory_order_acquire) == 0) return {};
  return engine.drain(peer.operations, transfer.post.timeout);
}

Status post_put(Engine& engine, const Transfer& transfer, const PeerSegment& segment) {
  Peer& peer = engine.peers.at(transfer.remote.rank);
  if (Status status = let_requests_pass(engine, transfer, peer, segment); !status.ok()) return status;
  Posting posting(engine, transfer, peer, segment);
  if (Status status = post_pieces(posting, transfer); !status.ok()) return status;
  return posting.flush(transfer.notification);
}

Status post_get(Engine& engine, const Transfer& transfer, const PeerSegment& segment, const PeerSegment* flagged) {
  Posting posting(engine, transfer, engine.peers.at(transfer.remote.rank), segment);
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

Status check_shape(const Transfer& transfer, const PeerSegment& segment, std::size_t& bytes) {
  const char* what = transfer.kind == Transfer::Kind::put ? "put" : "get";
  if (transfer.shape.kind() == Shape::Kind::contiguous) {
    bytes = transfer.shape.bytes();
    return check_range(what, segment, transfer.remote, bytes);
  }
  auto span = remote_span(transfer.shape);
  if (!span.ok()) return std::move(span).status();
  bytes = span->bytes;
  const std::uint64_t below = span->lowest < 0 ? std::uint64_t(-span->lowest) : 0;
  if (below > transfer.remote.offset)
    return {Code::invalid_offset, describe(what, transfer.remote, bytes) + " begins " +
                                      std::to_string(below - transfer.remote.offset) + " bytes before the segment"};
  const std::uint64_t above = span->highest < 0 ? 0 : std::uint64_t(span->highest);
  if (above > UINT64_MAX - transfer.remote.offset) return check_range(what, segment, transfer.remote, above);
  GlobalAddress lowest = transfer.remote;
  lowest.offset += std::uint64_t(span->lowest);
  return check_range(what, segment, lowest, std::uint64_t(span->highest - span->lowest));
}

}  // namespace

std::string describe(const char* what, GlobalAddress address, std::size_t bytes) {
  return std::string(what) + " of " + std::to_string(bytes) + " bytes at rank " + std::to_string(address.rank) +
         ", segment " + std::to_string(address.segment) + ", offset " + std::to_string(address.offset);
}

Status check_range(const char* what, const PeerSegment& segment, GlobalAddress address, std::uint64_t bytes) {
  if (segment.contains(address.offset, bytes)) return {};
  return {Code::invalid_offset, describe(what, address, bytes) + " goes beyond the " + std::to_string(segment.size) +
                                    " bytes of the segment"};
}

Status check_alignment(const char* what, const PeerSegment& segment, GlobalAddress address, std::uint64_t bytes,
                       std::size_t alignment) {
  if (address.offset % alignment == 0 && segment.aligned(address.offset, alignment)) return {};
  const bool users = address.offset % alignment == 0;  // memory of the user need not be aligned itself
  return {Code::invalid_alignment, describe(what, address, bytes) + " is not aligned to " + std::to_string(alignment) +
                                       " bytes" + (users ? " in its owner's memory" : "")};
}

Status check_flag(Rank rank, SegmentId id, const PeerSegment& segment, const Notification& notification) {
  const auto where = [&] {
    return "notification " + std::to_string(notification.id) + " of rank " + std::to_string(rank) + ", segment " +
           std::to_string(id);
  };
  if (notification.id >= segment.notifications)
    return {Code::invalid_notification, where() + ": there are " + std::to_string(segment.notifications)};
  if (notification.value == 0) return {Code::invalid_notification, where() + ": the value must not be 0"};
  return {};
}

Status transfer(Engine& engine, const Transfer& transfer) {
  const bool is_put = transfer.kind == Transfer::Kind::put;
  std::size_t bytes = 0;
  auto resolved =
      engine.peers.checked(transfer.remote.rank, transfer.remote.segment, transfer.post.timeout,
                           [&](const PeerSegment& segment) { return check_shape(transfer, segment, bytes); });
  if (!resolved.ok()) return std::move(resolved).status();
  const PeerSegment& segment = **resolved;
  if (transfer.local == nullptr && bytes != 0)
    return {Code::invalid_argument,
            describe(is_put ? "put" : "get", transfer.remote, bytes) + ": the local pointer is null"};
  const PeerSegment* flagged = nullptr;
  Notification notification;
  Transfer checked{transfer.kind, transfer.local, transfer.remote, transfer.shape, nullptr, transfer.post};
  if (transfer.notification != nullptr) {
    notification = *transfer.notification;
    if (notification.segment == kAnySegment) notification.segment = transfer.remote.segment;
    const Rank at = is_put ? transfer.remote.rank : engine.rank();
    auto found = engine.peers.checked(at, notification.segment, transfer.post.timeout, [&](const PeerSegment& with) {
      return check_flag(at, notification.segment, with, notification);
    });
    if (!found.ok()) return std::move(found).status();
    flagged = *found;
    checked.notification = &notification;
  }
  if (segment.data == nullptr)
    return is_put ? post_put(engine, checked, segment) : post_get(engine, checked, segment, flagged);
  if (Status status = copy_directly(checked, segment); !status.ok()) return status;
  if (flagged == nullptr) return {};
  if (!is_put) {
    raise_flag(*flagged, notification);
    return {};
  }
  return post_flag(engine, transfer.remote.rank, notification.segment, notification, transfer.post);
}

Status post_flag(Engine& engine, Rank rank, SegmentId id, const Notification& notification, const Post& post) {
  auto resolved = engine.peers.checked(
      rank, id, post.timeout, [&](const PeerSegment& with) { return check_flag(rank, id, with, notification); });
  if (!resolved.ok()) return std::move(resolved).status();
  const PeerSegment& segment = **resolved;
  if (segment.control != nullptr && engine.emulated.load(std::memory_order_acquire) == 0) {
    raise_flag(segment, notification);
    return {};
  }
  Notification placed = notification;
  placed.segment = id;
  const Shape nothing(0);
  const Transfer flag{Transfer::Kind::put, nullptr, {rank, id, 0}, nothing, &placed, post};
  return post_put(engine, flag, segment);
}

}  // namespace polder::core
