// Messages to numbered handlers: those of users, and those by which the modules of the library talk to their like.
#pragma once

#include "core/message/numbers.hpp"
#include "device/device.hpp"
#include "util/mutex.hpp"

#include <polder/message.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace polder::core {

struct Outside;
class Peers;
class Progress;

class Messaging final : public device::MessageSink {
 public:
  Messaging(Outside& outside, Progress& progress, Peers& peers);

  // Of the user: refuses what users may not have, and begins to serve.
  Status register_handler(MessageId id, MessageHandler handler);
  // Of a module of the library, once for each number, before any peer sends to it. REQUIRES: the number is not the
  // user's.
  void add_handler(MessageNumber number, MessageHandler handler);

  Status send(Rank rank, MessageId id, std::span<const std::byte> bytes, Timeout timeout);

  // From progress(). A message to a number that nobody has registered is dropped with a line in the log.
  void deliver(Rank source, device::HandlerId number, std::span<const std::byte> message) override;
  void attend() override;

  // This thread runs a handler of the user at the moment.
  bool in_handler() const { return handling_.load(std::memory_order_relaxed) == util::this_thread(); }

 private:
  void store(MessageNumber number, MessageHandler handler);
  void run_users(Rank source, MessageNumber number, const MessageHandler& handler, std::span<const std::byte> message);

  Outside& outside_;
  Progress& progress_;
  Peers& peers_;
  std::array<std::atomic<const MessageHandler*>, kNumberLimit> handlers_{};
  util::Mutex mutex_;
  std::vector<std::unique_ptr<MessageHandler>> owned_;  // also those that were replaced: one may be running
  std::atomic<const void*> handling_{nullptr};
};

}  // namespace polder::core
