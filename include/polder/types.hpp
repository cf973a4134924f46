// The words of the API: who a rank is, where a byte lies, what a notification carries.
//
// There is one address form in the whole system, (rank, segment, offset). It names a byte of the job; it is
// never a pointer, so it can be computed, stored and sent by anyone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polder {

// A process of the job, 0 .. size-1. In tests a thread may be a rank.
using Rank = std::uint32_t;

// A number that names a segment of a rank. The user chooses ids below kFirstAutomaticSegment; the runtime deals out the
// rest.
using SegmentId = std::uint32_t;

inline constexpr SegmentId kFirstAutomaticSegment = 1024;
inline constexpr SegmentId kSegmentIdLimit = 65536;  // ids are below this

// Stands for "the segment that the data goes to" in a Notification, and for "choose one" in a SegmentSpec.
inline constexpr SegmentId kAnySegment = ~SegmentId{0};

// The place of a byte: `offset` bytes from the start of the data of `segment` at `rank`.
struct GlobalAddress {
  Rank rank = 0;
  SegmentId segment = 0;
  std::uint64_t offset = 0;

  friend bool operator==(const GlobalAddress&, const GlobalAddress&) = default;
};

constexpr GlobalAddress operator+(GlobalAddress address, std::uint64_t bytes) {
  address.offset += bytes;
  return address;
}

using NotificationId = std::uint32_t;
using NotificationValue = std::uint32_t;  // never 0 when posted: 0 means "not set"

// set: the flag becomes `value`. add: it counts up by `value`, so that nothing is lost where many raise the same flag;
// it wraps at 2^32.
enum class NotificationOp : std::uint8_t { set, add };

// A flag to raise beside a segment once the data before it is visible there.
struct Notification {
  NotificationId id = 0;
  NotificationValue value = 1;
  SegmentId segment = kAnySegment;  // kAnySegment: beside the segment that the data goes to
  NotificationOp op = NotificationOp::set;
};

// Read-modify-write operations on a word of 1, 2, 4 or 8 bytes.
enum class AtomicOp : std::uint8_t { fetch_add, swap, compare_swap, fetch_and, fetch_or, fetch_xor };

}  // namespace polder
