// The events of one thread that are not in the file yet. One thread fills it; any thread may write it out.
#pragma once

#include "trace/event.hpp"
#include "trace/file_writer.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>

namespace polder::trace {

class Ring {
 public:
  // Null if there is no memory.
  static std::unique_ptr<Ring> create(std::uint32_t capacity) {
    std::unique_ptr<Event[]> events(new (std::nothrow) Event[capacity]);
    if (events == nullptr) return nullptr;
    return std::unique_ptr<Ring>(new (std::nothrow) Ring(std::move(events), capacity));
  }

  // The number of the thread that fills the ring now. Only that thread asks and sets.
  std::uint16_t thread() const { return thread_; }
  void set_thread(std::uint16_t thread) { thread_ = thread; }

  // True if the ring is full now and must be written out before the next push. Owner thread only.
  bool push(const Event& event) {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    events_[count] = event;
    events_[count].thread = thread_;
    count_.store(count + 1, std::memory_order_release);
    return count + 1 == capacity_;
  }

  // Writes what is not in the file yet; the events stay where they are. Any thread. Returns how many could not be
  // written.
  std::uint64_t write_out(FileWriter& file) {
    std::lock_guard lock(mutex_);
    return write_locked(file);
  }

  // Writes the rest and starts from the front again. Owner thread only.
  std::uint64_t write_and_clear(FileWriter& file) {
    std::lock_guard lock(mutex_);
    const std::uint64_t lost = write_locked(file);
    count_.store(0, std::memory_order_relaxed);
    written_ = 0;
    return lost;
  }

 private:
  Ring(std::unique_ptr<Event[]> events, std::uint32_t capacity) : events_(std::move(events)), capacity_(capacity) {}

  std::uint64_t write_locked(FileWriter& file) {
    const std::uint32_t count = count_.load(std::memory_order_acquire);
    if (count == written_) return 0;
    const std::span<const Event> fresh(&events_[written_], count - written_);
    written_ = count;
    return file.append(ChunkType::events, std::uint32_t(fresh.size()), std::as_bytes(fresh)).ok() ? 0 : fresh.size();
  }

  std::unique_ptr<Event[]> events_;
  std::uint32_t capacity_;
  std::uint16_t thread_ = 0;
  std::atomic<std::uint32_t> count_{0};
  std::mutex mutex_;           // held while writing: two threads must not write the same events
  std::uint32_t written_ = 0;  // events before this one are in the file; under mutex_
};

}  // namespace polder::trace
