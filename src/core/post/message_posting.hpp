// Posting a transfer whose pieces travel in messages, because the device cannot reach that memory or not do that to it:
// as many pieces in a message as fit.
#pragma once

#include "core/emulate/emulation.hpp"
#include "core/emulate/packing.hpp"
#include "core/post/staging.hpp"
#include "core/segment/byte_range.hpp"
#include "device/region.hpp"
#include "util/deadline.hpp"

#include <polder/accumulate.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::core {

class HandleState;
class QueueState;
struct Peer;
struct PeerSegment;
struct PostParts;
struct Hazards;
struct SharedFlag;

class MessagePosting {
 public:
  enum class Kind { put, get, accumulate };

  struct What {
    Kind kind = Kind::put;
    GlobalAddress target;               // the rank and the segment count
    const Accumulation* how = nullptr;  // of an accumulate
    Post post;
    const PeerSegment* segment = nullptr;  // as this rank knows it
    const PeerSegment* flagged = nullptr;  // of the notification at the peer, if there is one
  };

  MessagePosting(PostParts& parts, const What& what);
  ~MessagePosting();

  // `remote` counts from the start of the segment's data. The local memory is read (put, accumulate) before flush()
  // returns.
  Status add(std::byte* local, std::uint64_t remote, std::size_t bytes);

  // Sends what has been gathered. With a notification, that rides on it, even if nothing else does.
  Status flush(const Notification* notification);

  // Of a get: raised when all of it has come.
  void then_raise(std::shared_ptr<SharedFlag> flag) { flag_ = std::move(flag); }

 private:
  bool fits(const device::Piece& piece) const;
  bool may_take_parts() const;
  Status gather(const device::Piece& piece);
  Status start_packing();
  void pack(const device::Piece& piece);
  template <class Send>
  Status post(const ByteRange& range, Send&& send);
  NamedFlag flag_of(const Notification* notification) const;
  Status send_packed(const Notification* notification);
  void reset();

  PostParts& parts_;
  const What what_;
  Peer& peer_;
  Hazards& hazards_;
  QueueState& queue_;
  HandleState* const handle_;
  const util::Deadline deadline_;
  const std::size_t largest_;  // payload of a message
  const std::size_t room_;     // of a packed one, runs included
  bool begun_ = false;
  std::shared_ptr<SharedFlag> flag_;

  // What has been gathered: `first_` alone, while there is no second piece.
  std::size_t pieces_ = 0;
  device::Piece first_{};
  StagingBuffer* buffer_ = nullptr;
  std::size_t used_ = 0;  // bytes of data packed, or wanted by a get
  RunList runs_;
  ByteRange range_;
  std::vector<device::Piece> scatter_;  // of a get: where the data goes
};

}  // namespace polder::core
