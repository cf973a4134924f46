#include "core/message/messaging.hpp"

#include "core/engine/engine.hpp"
#include "core/engine/options.hpp"
#include "trace/span.hpp"
#include "util/log.hpp"

#include <pthread.h>

#include <string>

namespace polder::core {

Status Messaging::register_handler(MessageId id, MessageHandler handler) {
  if (id >= kMessageIdLimit)
    return {Code::invalid_argument,
            "message " + std::to_string(id) + ": ids are below " + std::to_string(kMessageIdLimit)};
  if (!handler) return {Code::invalid_argument, "message " + std::to_string(id) + ": the handler is empty"};
  {
    std::lock_guard lock(mutex_);
    owned_.push_back(std::make_unique<MessageHandler>(std::move(handler)));
    handlers_[id].store(owned_.back().get(), std::memory_order_release);
  }
  start_helper();
  return {};
}

Status Messaging::send(Rank rank, MessageId id, std::span<const std::byte> bytes, Timeout timeout) {
  trace::Span span(engine_.recorder(), trace::Kind::message, {.peer = rank, .bytes = bytes.size(), .value = id});
  if (id >= kMessageIdLimit)
    return {Code::invalid_argument,
            "message " + std::to_string(id) + ": ids are below " + std::to_string(kMessageIdLimit)};
  const std::size_t limit = engine_.device->capabilities().max_message;
  if (bytes.size() > limit)
    return {Code::invalid_size,
            "a message of " + std::to_string(bytes.size()) + " bytes is larger than " + std::to_string(limit)};
  const util::Deadline deadline(timeout);
  auto peer = engine_.peers.connect(rank, timeout);
  if (!peer.ok()) return std::move(peer).status();
  return engine_.post_until_accepted(
      **peer, [&] { return engine_.device->send(rank, id, bytes, {}); }, deadline.remaining());
}

void Messaging::deliver(Rank source, device::HandlerId handler, std::span<const std::byte> message) {
  if (handler >= kMessageIdLimit) return engine_.emulation.deliver(source, handler, message);
  trace::Span span(engine_.recorder(), trace::Kind::handler,
                   {.peer = source, .bytes = message.size(), .value = handler});
  if (const MessageHandler* known = handlers_[handler].load(std::memory_order_acquire)) {
    handling_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    (*known)(source, message);
    handling_.store({}, std::memory_order_relaxed);
    return;
  }
  util::log(util::LogLevel::warning, "rank %u has no handler for message %u of rank %u: dropped", engine_.rank(),
            unsigned(handler), source);
}

void Messaging::attend() {
  engine_.attend();
}

void Messaging::start_helper() {
  std::lock_guard lock(mutex_);
  if (active_.load(std::memory_order_relaxed) || stopping_.load(std::memory_order_relaxed)) return;
  const Helper kind = helper_option(engine_.options.helper);
  by_callers_.store(kind == Helper::none, std::memory_order_relaxed);
  if (kind != Helper::none) helper_ = std::thread([this, kind] { serve(kind == Helper::polling); });
  active_.store(true, std::memory_order_release);
}

void Messaging::stop_helper() {
  {
    std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_release);
  }
  if (helper_.joinable()) {
    engine_.device->wake();
    helper_.join();
  }
  if (engine_.device != nullptr) engine_.device->stop_serving();
}

void Messaging::serve(bool polling) {
  pthread_setname_np(pthread_self(), "polder-helper");
  while (!stopping_.load(std::memory_order_acquire)) {
    if (engine_.progress() != 0) continue;
    if (engine_.peers.attention()) engine_.peers.refresh();
    // Who polls still lets others have the core that it found empty-handed.
    if (polling)
      sched_yield();
    else
      engine_.device->wait(engine_.patience.options().slice_ns);
  }
}

}  // namespace polder::core
