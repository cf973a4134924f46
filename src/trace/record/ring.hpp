// The events of one thread that are not in the file yet. One thread fills it, another empties it: the recorder's writer,
// or whoever flushes.
#pragma once

#include "trace/format/event.hpp"
#include "util/platform.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>

namespace polder::trace {

class EventRing {
 public:
  enum class Room : std::uint8_t {
    enough,
    half,  // half of the ring was filled since the last time: the writer should come
    none,  // nothing was stored
  };

  // Null if there is no memory. `capacity` is rounded up to a power of two, at least 2.
  static std::unique_ptr<EventRing> create(std::uint32_t capacity) {
    const std::uint32_t rounded = std::bit_ceil(capacity < 2 ? 2 : capacity);
    std::unique_ptr<Event[]> events(new (std::nothrow) Event[rounded]);
    if (events == nullptr) return nullptr;
    return std::unique_ptr<EventRing>(new (std::nothrow) EventRing(std::move(events), rounded));
  }

  // The number of the thread that fills the ring now. Only that thread asks and sets.
  std::uint16_t thread() const { return thread_; }
  void set_thread(std::uint16_t thread) { thread_ = thread; }

  // Owner thread only.
  POLDER_ALWAYS_INLINE Room push(const Event& event) {
    const std::uint64_t at = filled_.load(std::memory_order_relaxed);
    if (at - emptied_seen_ == capacity_) [[unlikely]] {
      emptied_seen_ = emptied_.load(std::memory_order_acquire);
      if (at - emptied_seen_ == capacity_) return Room::none;
    }
    Event& place = events_[at & (capacity_ - 1)];
    place = event;
    place.thread = thread_;
    filled_.store(at + 1, std::memory_order_release);
    return ((at + 1) & (capacity_ / 2 - 1)) == 0 ? Room::half : Room::enough;
  }

  // Hands what is there to `write(span of events)`, in at most two parts, and makes room. Any thread, one at a time.
  template <class Write>
  void empty(Write&& write) {
    std::lock_guard lock(mutex_);
    const std::uint64_t end = filled_.load(std::memory_order_acquire);
    for (std::uint64_t at = emptied_.load(std::memory_order_relaxed); at != end;) {
      const std::uint64_t first = at & (capacity_ - 1);
      const std::uint64_t count = std::min<std::uint64_t>(end - at, capacity_ - first);
      write(std::span<const Event>(&events_[first], count));
      at += count;
      emptied_.store(at, std::memory_order_release);
    }
  }

  std::uint64_t bytes() const { return std::uint64_t(capacity_) * sizeof(Event); }

 private:
  EventRing(std::unique_ptr<Event[]> events, std::uint32_t capacity)
      : events_(std::move(events)), capacity_(capacity) {}

  const std::unique_ptr<Event[]> events_;
  const std::uint32_t capacity_;
  std::uint16_t thread_ = 0;
  std::uint64_t emptied_seen_ = 0;  // by the owner
  alignas(util::kCacheLine) std::atomic<std::uint64_t> filled_{0};
  alignas(util::kCacheLine) std::atomic<std::uint64_t> emptied_{0};
  std::mutex mutex_;  // held while emptying: two threads must not write the same events
};

}  // namespace polder::trace
