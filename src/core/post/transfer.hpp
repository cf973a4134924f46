// What a put or a get shall do, and the checks of its arguments.
#pragma once

#include <polder/queue.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace polder::core {

struct PeerSegment;

// How much an operation with a flag hurries, where the device makes a difference.
enum class Urgency : std::uint8_t {
  awaited,    // it leaves at once, and the peer answers at once
  unawaited,  // nobody waits for its end: the peer may answer with what it sends anyway
  in_company,  // nor need it leave, being a flag with little data, before something else goes to that peer, or somebody polls,
  followed,  // which the calling thread does next
};

struct Transfer {
  enum class Kind : std::uint8_t { put, get };

  Kind kind = Kind::put;
  std::byte* local = nullptr;  // only read by put
  GlobalAddress remote;
  const Shape& shape;
  const Notification* notification = nullptr;  // put: at the peer; get: at this rank
  Post post;
  // Not null: this segment and its flags, and none that has taken its place since; then invalid_segment.
  const PeerSegment* only = nullptr;
  Urgency urgency = Urgency::awaited;
  bool was_kept = false;  // it is what an aggregate handle kept back, and has had its turn
};

// A put to what the owner of a segment has opened behind it (device::Device::open_window), and the flag that says so, if any.
struct WindowPut {
  const std::byte* local;  // stays untouched until the queue's local operations have ended
  std::uint64_t window, offset;
  std::size_t bytes;
  const Notification* notification;
};

// The checks of a flag: id in range, value not 0.
Status check_flag(Rank rank, SegmentId id, const PeerSegment& segment, const Notification& notification);

// "put of 8 bytes at rank 1, segment 2, offset 3"
std::string describe(const char* what, GlobalAddress address, std::size_t bytes);

// invalid_offset unless `bytes` at `address` lie inside the segment.
Status check_range(const char* what, const PeerSegment& segment, GlobalAddress address, std::uint64_t bytes);

// invalid_alignment unless the offset and the memory behind it are multiples of `alignment`.
Status check_alignment(const char* what, const PeerSegment& segment, GlobalAddress address, std::uint64_t bytes,
                       std::size_t alignment);

}  // namespace polder::core
