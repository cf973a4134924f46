// Posting a transfer to memory that the device reaches: gathers pieces into operations and posts them.
#pragma once

#include "core/post/staging.hpp"
#include "core/post/transfer.hpp"
#include "core/segment/byte_range.hpp"
#include "device/region.hpp"
#include "util/deadline.hpp"

#include <polder/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::core {

class HandleState;
class Operation;
class QueueState;
struct Peer;
struct PeerSegment;
struct PostParts;
struct Hazards;
struct SharedFlag;

class DevicePosting {
 public:
  // `flagged` is the segment of the transfer's notification at the peer, if it has one there; `bytes` are those of the
  // whole transfer.
  DevicePosting(PostParts& parts, const Transfer& transfer, Peer& peer, const PeerSegment& segment,
                const PeerSegment* flagged, std::size_t bytes);
  ~DevicePosting();

  // `remote` counts from the start of the segment's data.
  Status add(std::byte* local, std::uint64_t remote, std::size_t bytes);

  // Posts what has been gathered. With a notification, that rides on it, even if nothing else does.
  Status flush(const Notification* notification);

  // Of a get: raised when all of it has come.
  void then_raise(std::shared_ptr<SharedFlag> flag) { flag_ = std::move(flag); }

 private:
  // Pieces are handed to a device in batches of this many, kept on the stack.
  static constexpr std::size_t kBatch = 32;

  Status gather(const device::Piece& piece);
  Result<std::byte*> stage(const std::byte* local, std::size_t bytes);
  Status hand_over(Operation* operation, const Notification* notification);

  PostParts& parts_;
  const Transfer& transfer_;
  Peer& peer_;
  const PeerSegment& segment_;
  const PeerSegment* const flagged_;
  Hazards& hazards_;
  QueueState& queue_;
  HandleState* const handle_;
  const util::Deadline deadline_;
  const bool staged_;         // the data goes by way of the pool
  const std::size_t copied_;  // but for pieces up to this, which the device copies itself
  bool begun_ = false;
  std::shared_ptr<SharedFlag> flag_;
  std::array<device::Piece, kBatch> pieces_;  // offsets are in the region
  std::size_t count_ = 0;
  std::uint64_t largest_ = 0;  // of those pieces, in bytes
  ByteRange range_;
  StagingBuffer* buffer_ = nullptr;
  std::size_t used_ = 0;  // of the buffer
};

}  // namespace polder::core
