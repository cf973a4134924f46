#include "core/post/staging.hpp"

#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "util/platform.hpp"

namespace polder::core {

StagingPool::StagingPool(Outside& outside, Progress& progress, const StagingOptions& options)
    : outside_(outside),
      progress_(progress),
      handoff_(options.handoff),
      count_(options.buffers),
      bytes_(options.buffer_bytes) {}

// With the first put that needs it: ranks of one machine never do. The device need not copy from it once more; it goes
// before this memory does.
void StagingPool::open() {
  std::lock_guard lock(opening_);
  if (opened_.load(std::memory_order_relaxed)) return;
  memory_.reset(new std::byte[count_ * bytes_]);
  outside_.device->own(memory_.get(), count_ * bytes_);
  buffers_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    buffers_[i].data = memory_.get() + i * bytes_;
    free_.push_back(&buffers_[i]);
  }
  opened_.store(true, std::memory_order_release);
}

StagingBuffer* StagingPool::try_take() {
  std::lock_guard lock(lock_);
  if (free_.empty()) return nullptr;
  StagingBuffer* buffer = free_.back();
  free_.pop_back();
  return buffer;
}

Result<StagingBuffer*> StagingPool::take(Timeout timeout) {
  if (!opened_.load(std::memory_order_acquire)) open();
  StagingBuffer* buffer = nullptr;
  Status status = wait_for(
      progress_, [&] { return (buffer = try_take()) != nullptr; }, timeout,
      [](bootstrap::LongWait& wait) { wait.say("for a buffer for a put"); });
  if (status.ok()) return buffer;
  return status.timed_out() ? Status(Code::queue_full) : std::move(status);
}

void StagingPool::give_back(StagingBuffer* buffer) {
  {
    std::lock_guard lock(lock_);
    free_.push_back(buffer);
  }
  ring_completions(progress_);
}

}  // namespace polder::core
