#include "device/shm/shm_device.hpp"
#include "util/outside_order.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <string>

namespace polder::device::shm {

// A peer's ring is read in batches, so that one busy sender does not starve the others.
static constexpr int kMessages = 32;

Result<ShmDevice::Peer*> ShmDevice::connected(Rank peer) const {
  if (peer >= ranks_)
    return Status(Code::invalid_rank, "rank " + std::to_string(peer) + " of " + std::to_string(ranks_));
  Peer* known = peers_.find(peer);
  if (known == nullptr || !known->connected.load(std::memory_order_acquire))
    return Status(Code::peer_failed, "rank " + std::to_string(peer) + " is not connected", Died::peer);
  return known;
}

Status ShmDevice::send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) {
  if (head.size() + body.size() > Ring::kLargest)
    return {Code::invalid_size, "a message of " + std::to_string(head.size() + body.size()) + " bytes is larger than " +
                                    std::to_string(Ring::kLargest)};
  auto target = connected(peer);
  if (!target.ok()) return std::move(target).status();
  Peer& to = **target;
  // The caller's memory is not read under the lock: a page of it may have to be fetched from that peer.
  std::array<std::byte, Ring::kLargest> copy;
  if (!body.empty()) std::memcpy(copy.data(), body.data(), body.size());
  body = std::span(copy).first(body.size());
  util::tell_outside();
  {
    std::lock_guard lock(to.sending);
    if (!to.inbox.ring(rank_).push(handler, head, body)) return Code::queue_full;
  }
  to.inbox.announce(rank_);
  return {};
}

int ShmDevice::progress(MessageSink& sink) {
  if (FillingThread::here() || !reading_.try_lock()) return 0;
  std::lock_guard lock(reading_, std::adopt_lock);
  int events = 0;
  inbox_.take_announced([&](Rank source) { events += drain(source, sink); });
  return events;
}

int ShmDevice::drain(Rank source, MessageSink& sink) {
  Ring& ring = inbox_.ring(source);
  const int taken = ring.pop(kMessages, [&](std::uint16_t handler, std::span<const std::byte> bytes) {
    sink.deliver(source, handler, bytes);
  });
  if (taken < 0) {
    const Status why(Code::peer_failed, "the message ring of rank " + std::to_string(source) + " is damaged",
                     Died::peer);
    if (on_failure_) on_failure_(source, why);
    return 0;
  }
  if (!ring.empty()) inbox_.announce(source);
  return taken;
}

void ShmDevice::wait(std::int64_t nanoseconds) {
  util::Bell::Listener listener(inbox_.bell());
  if (woken_.exchange(false) || inbox_.pending()) return;
  listener.sleep(nanoseconds);
  woken_.store(false);
}

// Remembered, so that a wait() that is about to begin does not miss it.
void ShmDevice::wake() {
  woken_.store(true);
  inbox_.bell().ring();
}

}  // namespace polder::device::shm
