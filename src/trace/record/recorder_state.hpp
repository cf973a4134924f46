// What a recorder and the threads that use it share: the file, the rings and the thread that writes.
#pragma once

#include "trace/record/file_writer.hpp"
#include "trace/record/ring.hpp"
#include "trace/record/ticks.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace polder::trace {

class RecorderState {
 public:
  struct Limits {
    std::uint32_t ring_events;
    std::uint64_t memory;
    std::uint64_t file;
  };
  RecorderState(const Limits& limits, const Ticks& ticks);
  ~RecorderState() { stop_writer(); }

  FileWriter& file() { return file_; }

  void start_writer();

  // A ring for the calling thread, fresh or from a thread that has ended. Null if there is no memory.
  EventRing* hand_out();

  // The thread that used it has ended.
  void hand_back(EventRing& ring);

  POLDER_ALWAYS_INLINE void record(EventRing& ring, const Event& event) {
    if (closed_.load(std::memory_order_relaxed)) [[unlikely]]
      return;
    if (const EventRing::Room room = ring.push(event); room != EventRing::Room::enough) [[unlikely]]
      crowded(ring, room, event);
  }

  // As of the first thread, for one that has no ring any more because it ends.
  void record_without_ring(Event event);

  void name_thread(const EventRing& ring, std::string_view name);
  void count_lost(std::uint64_t events) { lost_.fetch_add(events, std::memory_order_relaxed); }
  void count_filtered() { filtered_.fetch_add(1, std::memory_order_relaxed); }
  Omissions omitted() const { return {lost_.load(), filtered_.load(), beyond_.load()}; }

  Status flush();
  Status close();

 private:
  void crowded(EventRing& ring, EventRing::Room room, const Event& event);
  void write_out(EventRing& ring);
  void write_events(std::span<const Event> events);
  std::uint64_t room() const;  // of a chunk more, below the limit of the file
  Status flush_locked();
  void stop_writer();
  void write_now_and_then();

  const Limits limits_;
  const Ticks ticks_;
  const std::uint64_t run_delay_at_start_;
  FileWriter file_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> filtered_{0};
  std::atomic<std::uint64_t> beyond_{0};
  std::atomic<bool> closed_{false};
  std::atomic<bool> is_full_{false};  // the limit is reached: what comes later is not kept, however small

  std::thread writer_;
  std::atomic<std::uint32_t> calls_{0};  // for the writer, which sleeps on this word
  std::atomic<bool> has_writer_{false};
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;  // for the members below
  std::vector<std::unique_ptr<EventRing>> rings_;
  std::vector<EventRing*> idle_;
  std::uint64_t ring_bytes_ = 0;
  std::uint32_t threads_ = 0;
  Status close_status_;
};

}  // namespace polder::trace
