// What a recorder and the threads that use it share: the file and the rings.
#pragma once

#include "trace/file_writer.hpp"
#include "trace/recorder.hpp"
#include "trace/ring.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace polder::trace {

class RecorderState {
 public:
  explicit RecorderState(std::uint32_t ring_events) : ring_events_(ring_events) {}

  FileWriter& file() { return file_; }

  // A ring for the calling thread, fresh or from a thread that has ended. Null if there is no memory.
  Ring* hand_out();

  // The thread that used it has ended.
  void hand_back(Ring& ring);

  void record(Ring& ring, const Event& event);
  void name_thread(const Ring& ring, std::string_view name);
  void count_dropped(std::uint64_t events) { dropped_.fetch_add(events, std::memory_order_relaxed); }

  Status flush();
  Status close();

 private:
  Status flush_locked();
  void clear(Ring& ring);

  const std::uint32_t ring_events_;
  FileWriter file_;
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> closed_{false};

  std::mutex mutex_;  // for the members below
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<Ring*> idle_;
  std::uint32_t threads_ = 0;
  Status close_status_;
};

}  // namespace polder::trace
