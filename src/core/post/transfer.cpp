#include "core/post/transfer.hpp"

#include "core/segment/peer_segment.hpp"

namespace polder::core {

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
  if (notification.op > NotificationOp::add)
    return {Code::invalid_argument, where() + ": there is no operation " + std::to_string(unsigned(notification.op))};
  return {};
}

}  // namespace polder::core
