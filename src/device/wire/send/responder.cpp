#include "device/wire/send/responder.hpp"

#include <utility>

namespace polder::device::wire {

void Responder::respond(Link& link, const Record& record, std::span<const std::byte> payload) {
  {
    util::SpinGuard lock(link.lock);
    link.queues.frame_for(payload.size(), state_.frames, kUrgent).append(record, payload);
  }
  state_.dirty.add(link);
}

void Responder::refuse(Link& link, const Record& record, Code code) {
  if (record.kind == RecordKind::put) link.refusals.add(record);
  const Record answer{.kind = RecordKind::failed, .detail = std::uint8_t(code), .operation = record.operation};
  if (!link.flows()) {
    link.order.withhold();
    return respond(link, answer, {});
  }
  if (refused_ == nullptr) refused_ = state_.frames.take();
  refused_->append(answer, {});
  if (!refused_->has_room(sizeof answer)) tell_refused(link);
}

// Past what waits and past the window, before the frame is acknowledged in which it was asked for. In their line large answers may be
// in front, which leave as the peer acknowledges; it does not as long as it has to tell the same, behind answers of its own.
void Responder::tell_refused(Link& link) {
  Frame* const frame = std::exchange(refused_, nullptr);
  if (frame == nullptr) return;
  if (link.broken()) return state_.frames.give_back(frame);
  sender_.transmit(link, *frame, {});
}

}  // namespace polder::device::wire
