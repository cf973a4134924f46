// Messages to numbered handlers, and the helper thread that serves them while the program computes.
#pragma once

#include "device/device.hpp"

#include <polder/message.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace polder::core {

class Engine;

class Messaging final : public device::MessageSink {
 public:
  explicit Messaging(Engine& engine) : engine_(engine) {}
  ~Messaging() { stop_helper(); }

  Status register_handler(MessageId id, MessageHandler handler);
  Status send(Rank rank, MessageId id, std::span<const std::byte> bytes, Timeout timeout);

  // From progress(): numbers from kMessageIdLimit up are the library's own.
  void deliver(Rank source, device::HandlerId handler, std::span<const std::byte> message) override;
  void attend() override;

  // Something may need this rank's attention from now on. Idempotent.
  void start_helper();
  void stop_helper();

  // This thread runs a handler of the user at the moment.
  bool in_handler() const { return handling_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

  // True once messages can matter here: waiting threads then make progress as well.
  bool active() const { return active_.load(std::memory_order_relaxed); }
  // And nobody else does: there is no helper.
  bool by_callers() const { return by_callers_.load(std::memory_order_relaxed); }

 private:
  void serve(bool polling);

  Engine& engine_;
  std::array<std::atomic<const MessageHandler*>, kMessageIdLimit> handlers_{};
  std::mutex mutex_;
  std::vector<std::unique_ptr<MessageHandler>> owned_;
  std::atomic<std::thread::id> handling_{};
  std::atomic<bool> active_{false};
  std::atomic<bool> by_callers_{false};
  std::atomic<bool> stopping_{false};
  std::thread helper_;
};

}  // namespace polder::core
