#include "device/sim/sim_device.hpp"

#include <mutex>

namespace polder::device::sim {

namespace {

constexpr std::size_t kBatch = 32;

}  // namespace

Status SimDevice::send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) {
  constexpr auto kKind = InFlight::Kind::message;
  if (Status status = check_peer(peer, to_string(kKind)); !status.ok()) return status;
  if (head.size() + body.size() > capabilities_.max_message)
    return refuse(Code::invalid_size, to_string(kKind), peer, "the message is larger than max_message");
  auto parcel = make_parcel(kKind, peer, {}, nullptr);
  parcel->handler = handler;
  parcel->bytes.reserve(head.size() + body.size());
  parcel->bytes.assign(head.begin(), head.end());
  parcel->bytes.insert(parcel->bytes.end(), body.begin(), body.end());
  return fabric_->post(std::move(parcel));
}

int SimDevice::progress(MessageSink& sink) {
  if (!endpoint_.has_mail.load(std::memory_order_acquire) || !endpoint_.reading.try_lock()) return 0;
  std::lock_guard lock(endpoint_.reading, std::adopt_lock);
  const std::vector<Message> messages = fabric_->take_messages(rank_, kBatch);
  for (const Message& message : messages) sink.deliver(message.source, message.handler, message.bytes);
  return int(messages.size());
}

void SimDevice::wait(std::int64_t nanoseconds) {
  util::Bell::Listener listener(endpoint_.bell);
  if (endpoint_.woken.exchange(false) || endpoint_.has_mail.load(std::memory_order_acquire)) return;
  listener.sleep(nanoseconds);
  endpoint_.woken.store(false);
}

// Remembered, so that a wait() that is about to begin does not miss it.
void SimDevice::wake() {
  endpoint_.woken.store(true);
  endpoint_.bell.ring();
}

}  // namespace polder::device::sim
