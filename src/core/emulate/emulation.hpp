// One-sided operations by message, for memory that a device cannot reach itself: the initiator sends a request, a
// thread of the target carries it out and replies. This is the initiator's side; one_sided_server.hpp is the other one.
#pragma once

#include "core/direct/update.hpp"
#include "device/completion_sink.hpp"
#include "device/region.hpp"

#include <polder/accumulate.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::core {

class Requests;
struct OneSidedHead;
struct Outside;
struct Peer;

// The very segment that a request is for; its successor under the same id refuses the request.
struct NamedSegment {
  SegmentId id = 0;
  std::uint64_t generation = 0;
};

// A flag to raise behind the data.
struct NamedFlag {
  const Notification* notification = nullptr;  // beside notification->segment; null: none
  std::uint64_t generation = 0;                // of that segment
};

class Emulation {
 public:
  Emulation(Outside& outside, Requests& requests) : outside_(outside), requests_(requests) {}

  // All of these may return queue_full; then nothing was sent. The completion's local() and remote() are called as a
  // device would. Put and accumulate carry at most max_payload() bytes, get at most as many. REQUIRES: the peer is
  // connected.
  std::size_t max_payload() const;

  Status put(Peer& peer, NamedSegment segment, const device::Piece& piece, const NamedFlag& flag,
             device::CompletionSink* completion);
  Status get(Peer& peer, NamedSegment segment, const device::Piece& piece, device::CompletionSink* completion);
  // `old` receives the value before it, zero-extended.
  Status update(Peer& peer, NamedSegment segment, std::uint64_t offset, const Update& update, std::uint64_t* old,
                device::CompletionSink* completion);
  Status accumulate(Peer& peer, NamedSegment segment, const device::Piece& piece, const Accumulation& how,
                    device::CompletionSink* completion);

  // The same for many pieces at once. `body` is as core/emulate/packing.hpp says, at most max_payload() bytes; of a get
  // it holds runs only, and `scatter` says where the pieces go.
  struct Packed {
    std::span<const std::byte> body;
    std::uint32_t runs = 0;
    std::uint64_t bytes = 0;  // of all pieces
  };
  Status put_packed(Peer& peer, NamedSegment segment, const Packed& packed, const NamedFlag& flag,
                    device::CompletionSink* completion);
  Status get_packed(Peer& peer, NamedSegment segment, const Packed& packed, std::span<const device::Piece> scatter,
                    device::CompletionSink* completion);
  Status accumulate_packed(Peer& peer, NamedSegment segment, const Packed& packed, const Accumulation& how,
                           device::CompletionSink* completion);

 private:
  Status send_writing(Peer& peer, OneSidedHead& head, std::span<const std::byte> body,
                      device::CompletionSink* completion);

  Outside& outside_;
  Requests& requests_;
};

}  // namespace polder::core
