#include "device/wire/send/frame_sender.hpp"

#include "util/deadline.hpp"
#include "util/outside_order.hpp"

#include <cstring>
#include <string>

namespace polder::device::wire {

void FrameSender::transmit(Link& link, Frame& frame, std::span<const std::byte> part) {
  write_header(link, frame, link.window.next());
  const auto bytes = std::uint32_t(frame.used + part.size());
  link.window.push({bytes, link.signs.sent_ns(), frame.operations});
  if (state_.rma && !frame.stores.empty()) {
    link.accesses.stores.add(frame.stores);
    link.accesses.stores_frame = link.window.last();
  }
  if (part.empty())
    hand_over(link, Packet::frame, frame, {}, frame.content());
  else
    hand_over(link, Packet::frame, frame, frame.content(), part);
}

void FrameSender::write_header(Link& link, Frame& frame, std::uint32_t number) {
  const std::int64_t now = util::coarse_now_ns();
  link.signs.note_sent(now);
  const FrameHeader header{.session = link.session.peer(),
                           .source = state_.rank,
                           .number = number,
                           .done = link.order.acknowledge(),
                           .drained = link.messages.tell(),
                           .clock = clock_ms(now),
                           .echo = link.signs.clock()};
  std::memcpy(frame.bytes.data(), &header, sizeof header);
}

void FrameSender::acknowledge(Link& link) {
  Frame* frame = state_.frames.take();
  write_header(link, *frame, link.window.last());
  hand_over(link, Packet::frame, *frame, {}, frame->content());
}

void FrameSender::hand_over(Link& link, Packet kind, Frame& frame, std::span<const std::byte> header,
                            std::span<const std::byte> data) {
  ++state_.sending;
  util::tell_outside();
  switch (state_.transport->send(*link.endpoint(), kind, header, data, frame)) {
    case Transport::Sent::later: return;
    case Transport::Sent::refused:
      link.note_closed();
      state_.give_up(
          link, {Code::peer_failed, "the way to rank " + std::to_string(link.peer) + " is broken", Died::peer}, false);
      break;
    case Transport::Sent::at_once: break;
  }
  on_sent(frame);
}

void FrameSender::on_sent(Frame& frame) {
  --state_.sending;
  if (frame.source != nullptr) state_.endings.end_part(*frame.source);
  if (frame.exposed != 0) {
    --state_.exposed.find_any(frame.exposed)->readers;
    state_.exposed.remove_unused(frame.exposed);
  }
  state_.frames.give_back(&frame);
}

}  // namespace polder::device::wire
