#include "core/message/messaging.hpp"

#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/span.hpp"
#include "util/assert.hpp"
#include "util/log.hpp"
#include "util/outside_order.hpp"

#include <exception>
#include <string>
#include <utility>

namespace polder::core {
namespace {

Status no_such_id(MessageId id) {
  return {Code::invalid_argument,
          "message " + std::to_string(id) + ": ids are below " + std::to_string(kMessageIdLimit)};
}

// An exception of a handler has nobody who waits for it, and others rely on what the handler has left half done: the
// process ends, with a sentence that says why.
void run_handler(const MessageHandler& run, Rank source, unsigned id, std::span<const std::byte> message) noexcept {
  try {
    return run(source, message);
  } catch (const std::exception& thrown) {
    util::log(util::LogLevel::error, "the handler of message %u, of rank %u, threw an exception: %s", id, source,
              thrown.what());
  } catch (...) {
    util::log(util::LogLevel::error, "the handler of message %u, of rank %u, threw what is no std::exception", id,
              source);
  }
  std::terminate();
}

}  // namespace

Messaging::Messaging(Outside& outside, Progress& progress, Peers& peers)
    : outside_(outside), progress_(progress), peers_(peers) {
  progress.set_sink(*this);
}

Status Messaging::register_handler(MessageId id, MessageHandler handler) {
  if (!kUserNumbers.holds(id)) return no_such_id(id);
  if (!handler) return {Code::invalid_argument, "message " + std::to_string(id) + ": the handler is empty"};
  store(id, std::move(handler));
  progress_.start_helper();
  return {};
}

void Messaging::add_handler(MessageNumber number, MessageHandler handler) {
  POLDER_ASSERT(!kUserNumbers.holds(number));
  store(number, std::move(handler));
}

void Messaging::store(MessageNumber number, MessageHandler handler) {
  std::lock_guard lock(mutex_);
  owned_.push_back(std::make_unique<MessageHandler>(std::move(handler)));
  handlers_[number].store(owned_.back().get(), std::memory_order_release);
}

Status Messaging::send(Rank rank, MessageId id, std::span<const std::byte> bytes, Timeout timeout) {
  trace::Span span(outside_.recorder(), trace::EventKind::message, {.peer = rank, .bytes = bytes.size(), .value = id});
  if (!kUserNumbers.holds(id)) return span.outcome(no_such_id(id));
  const std::size_t limit = outside_.device->capabilities().max_message;
  if (bytes.size() > limit)
    return span.outcome({Code::invalid_size, "a message of " + std::to_string(bytes.size()) + " bytes is larger than " +
                                                 std::to_string(limit)});
  const util::Deadline deadline(timeout, progress_.clock());
  auto peer = peers_.connect(rank, timeout);
  if (!peer.ok()) return span.outcome(std::move(peer).status());
  Status status = peers_.post_until_accepted(
      **peer, [&] { return outside_.device->send(rank, id, bytes, {}); }, deadline.remaining());
  if (status.ok()) progress_.count_posted(bytes.size());
  return span.outcome(std::move(status));
}

void Messaging::deliver(Rank source, device::HandlerId number, std::span<const std::byte> message) {
  const MessageHandler* known = number < kNumberLimit ? handlers_[number].load(std::memory_order_acquire) : nullptr;
  if (known == nullptr)
    return util::log(util::LogLevel::warning, "rank %u has no handler for message %u of rank %u: dropped",
                     outside_.rank(), unsigned(number), source);
  util::hear_outside();
  if (!kUserNumbers.holds(number)) return (*known)(source, message);
  trace::Span span(outside_.recorder(), trace::EventKind::handler,
                   {.peer = source, .bytes = message.size(), .value = number});
  run_users(source, number, *known, message);
}

void Messaging::run_users(Rank source, MessageNumber number, const MessageHandler& handler,
                          std::span<const std::byte> message) {
  handling_.store(util::this_thread(), std::memory_order_relaxed);
  run_handler(handler, source, number, message);
  handling_.store(nullptr, std::memory_order_relaxed);
}

void Messaging::attend() {
  progress_.attend();
  progress_.ring_arrivals();
}

}  // namespace polder::core
