// Frames going out, under the device's lock.
#include "device/wire/wire_device.hpp"
#include "util/deadline.hpp"
#include "util/outside_order.hpp"

#include <algorithm>

namespace polder::device::wire {

void WireDevice::leave() {
  do {
    if (!greetings_.empty()) answer_greetings();
    if (dirty_.any()) send_dirty();
    if (local_ == nullptr && ended_ == nullptr && lost_.empty())
      lock_.unlock();
    else
      tell_ended();  // gives the lock back
    // Who marked a link while the lock was taken has left it to us.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (dirty_.any() && try_enter());
}

void WireDevice::tell_ended() {
  WireOperation* local = std::exchange(local_, nullptr);
  WireOperation* ended = std::exchange(ended_, nullptr);
  last_local_ = last_ended_ = nullptr;
  std::vector<Lost> lost;
  lost.swap(lost_);
  lock_.unlock();
  // Who learns of an operation that failed finds the peer failed, too.
  for (const Lost& one : lost)
    if (on_failure_) on_failure_(one.peer, one.why);
  // The next is read first: an operation that has been told may serve another caller at once.
  while (local != nullptr) operations_.tell_local(std::exchange(local, local->next_local));
  while (ended != nullptr) operations_.tell_end(std::exchange(ended, ended->next));
}

void WireDevice::send_dirty() {
  dirty_.take_all([this](Link& link) {
    lock_.assert_held();
    pump(link);
  });
}

void WireDevice::pump(Link& link) {
  if (!link.flows()) return;
  do send_steps(link);
  while (flush_accesses(link));
  // A sender that has run out of room for messages waits for this.
  if (!link.broken() && link.messages.untold() >= MessageCredit::kRoom / 4) acknowledge(link);
}

void WireDevice::send_steps(Link& link) {
  while (!link.broken() && link.may_send()) {
    const Step step = next_step(link);
    if (step.frame != nullptr)
      transmit(link, *step.frame, step.part);
    else if (step.access != nullptr)
      begin_access(link, *step.access);
    else if (step.ask != 0)
      ask_for_key(link, step.ask);
    else
      break;
  }
}

void WireDevice::transmit(Link& link, Frame& frame, std::span<const std::byte> part) {
  write_header(link, frame, link.window.next());
  const auto bytes = std::uint32_t(frame.used + part.size());
  link.window.push({bytes, link.signs.sent_ns(), frame.operations});
  if (rma_ && !frame.stores.empty()) {
    link.accesses.stores.add(frame.stores);
    link.accesses.stores_frame = link.window.last();
  }
  if (part.empty())
    hand_over(link, Packet::frame, frame, {}, frame.content());
  else
    hand_over(link, Packet::frame, frame, frame.content(), part);
}

void WireDevice::write_header(Link& link, Frame& frame, std::uint32_t number) {
  const std::int64_t now = util::coarse_now_ns();
  link.signs.note_sent(now);
  const FrameHeader header{.session = link.session.peer(),
                           .source = rank_,
                           .number = number,
                           .done = link.order.acknowledge(),
                           .drained = link.messages.tell(),
                           .clock = clock_ms(now),
                           .echo = link.signs.clock()};
  std::memcpy(frame.bytes.data(), &header, sizeof header);
}

// A frame without records: it is not counted, so nothing waits for it.
void WireDevice::acknowledge(Link& link) {
  Frame* frame = frames_.take();
  write_header(link, *frame, link.window.last());
  hand_over(link, Packet::frame, *frame, {}, frame->content());
}

void WireDevice::acknowledge_all() {
  acknowledge_now_ = false;
  for (Link* link : owing_) {
    link->settle();
    const bool told = link->order.debt() == 0 && link->messages.untold() == 0;
    if (!told && link->flows() && !link->broken()) acknowledge(*link);
  }
  owing_.clear();
}

void WireDevice::hand_over(Link& link, Packet kind, Frame& frame, std::span<const std::byte> header,
                           std::span<const std::byte> data) {
  ++sending_;
  util::tell_outside();
  switch (transport_->send(*link.endpoint(), kind, header, data, frame)) {
    case Transport::Sent::later: return;
    case Transport::Sent::refused:
      link.note_closed();
      give_up(link, {Code::peer_failed, "the way to rank " + std::to_string(link.peer) + " is broken", Died::peer},
              false);
      break;
    case Transport::Sent::at_once: break;
  }
  on_sent(frame);
}

void WireDevice::on_sent(Addressee& buffer) {
  auto& frame = static_cast<Frame&>(buffer);
  --sending_;
  if (frame.source != nullptr) end_part(*frame.source);
  if (frame.exposed != 0) {
    --exposed_.find_any(frame.exposed)->readers;
    exposed_.remove_unused(frame.exposed);
  }
  frames_.give_back(&frame);
}

// One part less of the operation is under way from or to the caller's memory.
void WireDevice::end_part(WireOperation& operation) {
  const bool put = operation.kind == WireOperation::Kind::put;
  const std::uint32_t left = operation.parts.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if ((left & ~WireOperation::kDecided) != 0) return;
  if (put) {
    operation.next_local = nullptr;
    (local_ == nullptr ? local_ : last_local_->next_local) = &operation;
    last_local_ = &operation;
  }
  if (left == WireOperation::kDecided) note_ended(operation);
}

void WireDevice::note_ended(WireOperation& operation) {
  operation.next = nullptr;
  (ended_ == nullptr ? ended_ : last_ended_->next) = &operation;
  last_ended_ = &operation;
}

}  // namespace polder::device::wire
