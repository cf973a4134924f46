// Flags in memory: finding the ones that are set, and setting them.
#pragma once

#include "core/segment/peer_segment.hpp"
#include "util/assert.hpp"
#include "util/outside_order.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace polder::core {

// The lowest id in [first, first + count) whose flag is not 0. 32 flags per step with vector instructions: 65,536 flags
// take a few microseconds.
std::optional<NotificationId> find_set_flag(const std::atomic<std::uint32_t>* flags, NotificationId first,
                                            NotificationId count);

// Stores the flag behind all earlier stores of this thread, and wakes who waits for it. REQUIRES: segment.control is
// not null.
inline void raise_flag(const PeerSegment& segment, const Notification& notification) {
  POLDER_ASSERT(segment.control != nullptr && notification.value != 0);
  std::atomic<std::uint32_t>& flag = segment.control->flags()[notification.id];
  util::tell_outside();
  if (notification.op == NotificationOp::set) [[likely]]
    flag.store(notification.value, std::memory_order_release);
  else
    flag.fetch_add(notification.value, std::memory_order_release);
  segment.control->bell.ring();
}

// "notifications 3 to 5 of segment 7".
std::string flag_names(SegmentId id, NotificationId first, NotificationId count);

}  // namespace polder::core
