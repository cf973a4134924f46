// Memory of the callers, and whether pages of it may be missing, so that it must not be touched under a lock.
#pragma once

#include "device/filling_thread.hpp"
#include "device/wire/memory/present_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::device::wire {

// Any thread.
class CallerMemory {
 public:
  // `reached`: a network reaches into memory, and would have to be told where pages are missing.
  explicit CallerMemory(bool reached) : is_reached_(reached) {}

  // Its pages are always there.
  void own(const void* memory, std::size_t size) { present_.add(memory, size); }
  void disown(const void* memory) { present_.remove(memory); }
  bool is_own(const void* memory, std::uint64_t bytes) { return present_.contains(memory, bytes); }

  // This thread begins, or ends, to fill pages.
  void fill_pages(bool begin) {
    FillingThread::note(begin);
    are_pages_filled_.store(true, std::memory_order_relaxed);
  }

  // Of a thread that fills pages, all memory is there; and where no thread does so nobody lies in wait for a page.
  bool is_foreign(const void* memory, std::uint64_t bytes) {
    return (is_reached_ || are_pages_filled_.load(std::memory_order_relaxed)) && !FillingThread::here() &&
           !present_.contains(memory, bytes);
  }

 private:
  const bool is_reached_;
  PresentMemory present_;
  std::atomic<bool> are_pages_filled_{false};  // by some thread, now and then
};

}  // namespace polder::device::wire
