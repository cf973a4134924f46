// Frames going out, under the device's lock.
#include "device/ucx/ucx_device.hpp"
#include "util/deadline.hpp"

#include <algorithm>

namespace polder::device::ucx {

void UcxDevice::leave() {
  do {
    if (!greetings_.empty()) answer_greetings();
    if (dirty_.load(std::memory_order_relaxed) != nullptr) send_dirty();
    if (local_ == nullptr && ended_ == nullptr && lost_.empty())
      lock_.unlock();
    else
      tell_ended();  // gives the lock back
    // Who marked a link while the lock was taken has left it to us.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (dirty_.load(std::memory_order_relaxed) != nullptr && try_enter());
}

void UcxDevice::tell_ended() {
  Operation* local = std::exchange(local_, nullptr);
  Operation* ended = std::exchange(ended_, nullptr);
  last_local_ = last_ended_ = nullptr;
  std::vector<Lost> lost;
  lost.swap(lost_);
  lock_.unlock();
  // The next is read first: an operation that has been told may serve another caller at once.
  while (local != nullptr) operations_.tell_local(std::exchange(local, local->next_local));
  while (ended != nullptr) operations_.tell_end(std::exchange(ended, ended->next));
  for (const Lost& one : lost)
    if (on_failure_) on_failure_(one.peer, one.why);
}

void UcxDevice::send_dirty() {
  while (Link* link = dirty_.exchange(nullptr, std::memory_order_seq_cst)) {
    while (link != nullptr) {
      Link* next = link->next_dirty;
      link->dirty.store(false, std::memory_order_seq_cst);
      pump(*link);
      link = next;
    }
  }
}

void UcxDevice::pump(Link& link) {
  if (!link.flows()) return;
  std::span<const std::byte> part;
  while (!link.broken && !(link.stalled = !link.window_open())) {
    Frame* frame = next_frame(link, part);
    if (frame == nullptr) break;
    transmit(link, *frame, part);
  }
  // A sender that has run out of room for messages waits for this.
  const std::uint32_t untold = link.drained.load(std::memory_order_acquire) - link.drained_told;
  if (!link.broken && untold >= Link::kMailRoom / 4) acknowledge(link);
}

Frame* UcxDevice::next_frame(Link& link, std::span<const std::byte>& part) {
  std::lock_guard lock(link.lock);
  part = {};
  if (link.waiting.empty()) return nullptr;
  Waiting& first = link.waiting.front();
  Frame* frame = first.frame;
  if (frame == nullptr)
    frame = next_part(link, first, part);
  else
    link.waiting.pop_front();
  // All that was refused is told with this frame at the latest.
  if (link.waiting.empty()) link.withheld = 0;
  return frame;
}

Frame* UcxDevice::next_part(Link& link, Waiting& waiting, std::span<const std::byte>& part) {
  Bulk& bulk = waiting.bulk;
  Frame* frame = frames_.take();
  const std::size_t bytes = std::min<std::uint64_t>(bulk.bytes, kPartBytes);
  if (bulk.operation != nullptr) {
    part = {bulk.local, bytes};
    bulk.local += bytes;
    frame->source = bulk.operation;
    ++bulk.operation->unsent;
  } else if (Exposed* exposed = exposed_.find(bulk.record.region)) {
    part = {exposed->data + bulk.from, bytes};
    bulk.from += bytes;
    frame->exposed = bulk.record.region;
    ++exposed->readers;
  } else {
    frame->append(
        {.kind = RecordKind::failed, .detail = std::uint8_t(Code::invalid_segment), .operation = bulk.record.operation},
        {});
    link.waiting.pop_front();
    return frame;
  }
  Record record = bulk.record;
  record.bytes = std::uint32_t(bytes);
  std::memcpy(frame->bytes.data() + sizeof(FrameHeader), &record, sizeof record);
  frame->used = sizeof(PartHeader);
  bulk.record.offset += bytes;
  bulk.bytes -= bytes;
  if (bulk.bytes != 0) return frame;
  if (bulk.operation != nullptr) --bulk.operation->unsent;  // its own share; the parts have theirs
  if (bulk.last) frame->append(bulk.operation);
  link.waiting.pop_front();
  return frame;
}

void UcxDevice::transmit(Link& link, Frame& frame, std::span<const std::byte> part) {
  write_header(link, frame, ++link.last_sent);
  const auto bytes = std::uint32_t(frame.used + part.size());
  link.unacknowledged.push_back({link.last_sent, bytes, link.sent_ns, frame.operations});
  link.unacknowledged_bytes += bytes;
  link.note_crowd();
  if (part.empty())
    hand_over(link, kFrameId, frame, {}, frame.content());
  else
    hand_over(link, kFrameId, frame, frame.content(), part);
}

void UcxDevice::write_header(Link& link, Frame& frame, std::uint32_t number) {
  link.sent_ns = util::coarse_now_ns();
  link.acknowledged = link.done();
  link.drained_told = link.drained.load(std::memory_order_acquire);
  const FrameHeader header{.session = link.peer_session,
                           .source = rank_,
                           .number = number,
                           .done = link.acknowledged,
                           .drained = link.drained_told,
                           .clock = clock_ms(link.sent_ns),
                           .echo = link.peer_clock};
  std::memcpy(frame.bytes.data(), &header, sizeof header);
}

// A frame without records: it is not counted, so nothing waits for it.
void UcxDevice::acknowledge(Link& link) {
  Frame* frame = frames_.take();
  write_header(link, *frame, link.last_sent);
  hand_over(link, kFrameId, *frame, {}, frame->content());
}

void UcxDevice::acknowledge_all() {
  for (Link* link : owing_) {
    link->owing = false;
    const bool told = link->acknowledged == link->done() && link->drained_told == link->drained.load();
    if (!told && link->flows() && !link->broken) acknowledge(*link);
  }
  owing_.clear();
}

void UcxDevice::hand_over(Link& link, unsigned id, Frame& frame, std::span<const std::byte> header,
                          std::span<const std::byte> data) {
  ++sending_;
  switch (transport_->send(*link.endpoint, id, header, data, frame)) {
    case Transport::Sent::later: return;
    case Transport::Sent::refused:
      link.closed_by_peer = true;
      give_up(link, {Code::peer_failed, "the way to rank " + std::to_string(link.peer) + " is broken", Died::peer},
              false);
      break;
    case Transport::Sent::at_once: break;
  }
  on_sent(frame);
}

void UcxDevice::on_sent(Addressee& buffer) {
  auto& frame = static_cast<Frame&>(buffer);
  --sending_;
  if (Operation* operation = frame.source; operation != nullptr && --operation->unsent == 0) {
    operation->next_local = nullptr;
    (local_ == nullptr ? local_ : last_local_->next_local) = operation;
    last_local_ = operation;
    if (operation->resolved) resolve(*operation);
  }
  if (frame.exposed != 0)
    if (Exposed* exposed = exposed_.find_any(frame.exposed);
        --exposed->readers == 0 && exposed->concealed && exposed->mapping)
      exposed_.remove(frame.exposed);
  frames_.give_back(&frame);
}

}  // namespace polder::device::ucx
