#include "device/wire/wire_device.hpp"

#include <string>

namespace polder::device::wire {

Status WireDevice::send(Rank peer, HandlerId handler, std::span<const std::byte> head,
                        std::span<const std::byte> body) {
  const std::size_t bytes = head.size() + body.size();
  if (bytes > kMaxMessage)
    return {Code::invalid_size, state_.name + ": a message of " + std::to_string(bytes) + " bytes to rank " +
                                    std::to_string(peer) + "; the largest has " + std::to_string(kMaxMessage)};
  Link* link = state_.links.find(peer);
  if (link == nullptr) return refuse("send", peer);
  const bool urgent = FillingThread::here();
  if (Status status = check_room(*link, "send", urgent); !status.ok()) return status;
  Parcel parcel(state_.frames);
  parcel.frame_for(bytes).append({.kind = RecordKind::message, .handler = handler}, head, body);
  {
    util::SpinGuard lock(link->lock);
    if (Status status = may_wait(*link, "send", urgent); !status.ok()) return status;
    if (!link->messages.post(std::uint32_t(sizeof(Record) + bytes))) return Code::queue_full;
    link->queues.take(parcel, urgent);
  }
  kick(*link, true);
  return {};
}

}  // namespace polder::device::wire
