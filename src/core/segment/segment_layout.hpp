// What lies in memory beside a segment's data, as every rank that maps it sees it.
//
//   SegmentControl | notification flags, 4 bytes each | (next page) data, if Polder allocated it
//
// Memory that the user brought has its control in an exposure of its own.
#pragma once

#include "util/bell.hpp"
#include "util/platform.hpp"

#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::core {

// A lock on some of a segment's elements. It holds its owner's rank + 1, so that others can take it from a rank that
// died.
struct alignas(util::kCacheLine) ElementLock {
  std::atomic<std::uint32_t> owner{0};
};

struct SegmentControl {
  static constexpr std::size_t kLocks = 64;
  static constexpr std::size_t kLockSpan = std::size_t{16} << 10;  // bytes of data under one lock

  // The first line is read by everyone who notifies; it changes only when somebody lies down to sleep.
  std::atomic<std::uint64_t> generation;  // of the segment that lies here; 0: it is no more
  util::Bell bell;
  std::uint32_t notifications;
  std::array<ElementLock, kLocks> locks;

  bool holds(std::uint64_t segment) const { return generation.load(std::memory_order_acquire) == segment; }

  std::atomic<std::uint32_t>* flags() { return reinterpret_cast<std::atomic<std::uint32_t>*>(this + 1); }

  static constexpr std::uint64_t flag_offset(NotificationId id) {
    return sizeof(SegmentControl) + std::uint64_t{4} * id;
  }
  static std::uint64_t bell_offset() { return offsetof(SegmentControl, bell); }

  // Bytes from the start of the control to the data behind it.
  static constexpr std::size_t bytes(std::uint32_t notifications) {
    return util::round_up(sizeof(SegmentControl) + std::size_t{4} * notifications, util::kPage);
  }
};

}  // namespace polder::core
