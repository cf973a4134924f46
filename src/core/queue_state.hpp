// The counters behind a Queue.
#pragma once

#include "core/outstanding.hpp"

#include <polder/queue.hpp>
#include <polder/types.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace polder::core {

class Engine;

class QueueState {
 public:
  QueueState(Engine& engine, std::size_t depth, std::uint16_t number)
      : engine_(engine), depth_(depth), number_(number) {}

  static std::unique_ptr<Queue> make(Engine& engine, std::size_t depth, std::uint16_t number);

  Status wait(Completion completion, Timeout timeout);
  Status purge(Timeout timeout);
  std::size_t outstanding() const { return std::size_t(remote.count()); }
  std::size_t depth() const { return depth_; }
  std::uint16_t number() const { return number_; }
  Engine& engine() const { return engine_; }

  // Success if there is room for one more; else waits for it.
  Status admit(Timeout timeout);

  void note_failure(const Status& status);

  Outstanding local;
  Outstanding remote;

 private:
  Status take_failure();

  Engine& engine_;
  const std::size_t depth_;
  const std::uint16_t number_;
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  Status failure_;
};

}  // namespace polder::core
