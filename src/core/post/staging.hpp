// Buffers in which the data of puts waits for the network, so that the caller has its memory back at once (OSPRI's
// *handoff*, section V-B), and in which pieces are packed into one message.
//
// The pool never grows: when all buffers travel, whoever wants one makes progress until one is back. That is the flow
// control of a rank that produces faster than the network takes.
#pragma once

#include "util/mutex.hpp"
#include "util/spin_lock.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace polder::core {

struct Outside;
class Progress;

struct StagingBuffer {
  std::byte* data = nullptr;
};

struct StagingOptions {
  bool handoff = false;
  std::size_t buffers = 0;
  std::size_t buffer_bytes = 0;
};

class StagingPool {
 public:
  StagingPool(Outside& outside, Progress& progress, const StagingOptions& options);

  bool handoff() const { return handoff_; }
  std::size_t buffer_bytes() const { return bytes_; }
  // The largest transfer worth a copy: what fits into one buffer and so stays one piece. Between two hosts over TCP, in
  // several buffers 256 kB took 1.5 to 3 times as long as from where they lay.
  std::size_t handoff_limit() const { return bytes_; }

  // A buffer, waiting for one if need be. queue_full: none came back in time.
  Result<StagingBuffer*> take(Timeout timeout);
  void give_back(StagingBuffer* buffer);

 private:
  void open();
  StagingBuffer* try_take();

  Outside& outside_;
  Progress& progress_;
  const bool handoff_;
  const std::size_t count_;
  const std::size_t bytes_;
  util::Mutex opening_;
  std::atomic<bool> opened_{false};
  std::unique_ptr<std::byte[]> memory_;  // the runtime's own: what still travels when it ends is read until the end
  util::SpinLock lock_;
  std::vector<StagingBuffer> buffers_;
  std::vector<StagingBuffer*> free_;
};

}  // namespace polder::core
