#include "trace/recorder_state.hpp"

#include <algorithm>
#include <string>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace polder::trace {

namespace {

std::string system_thread_name() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

}  // namespace

Ring* RecorderState::hand_out() {
  Ring* ring = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      ring = idle_.back();
      idle_.pop_back();
    } else {
      std::unique_ptr<Ring> fresh = Ring::create(ring_events_);
      if (fresh == nullptr) return nullptr;
      ring = fresh.get();
      rings_.push_back(std::move(fresh));
      idle_.reserve(rings_.size());  // so that hand_back(), which runs in destructors, cannot throw
    }
    ring->set_thread(std::uint16_t(std::min<std::uint32_t>(threads_++, UINT16_MAX)));
  }
  name_thread(*ring, system_thread_name());
  return ring;
}

void RecorderState::hand_back(Ring& ring) {
  std::lock_guard lock(mutex_);
  idle_.push_back(&ring);
}

void RecorderState::record(Ring& ring, const Event& event) {
  if (closed_.load(std::memory_order_relaxed)) [[unlikely]]
    return;
  if (ring.push(event)) [[unlikely]]
    clear(ring);
}

void RecorderState::clear(Ring& ring) {
  count_dropped(ring.write_and_clear(file_));
}

void RecorderState::name_thread(const Ring& ring, std::string_view name) {
  ThreadRecord record{.thread = ring.thread(), .system_id = std::uint32_t(::syscall(SYS_gettid))};
  set_text(record.name, name);
  // A file that cannot be written shows up when events are written.
  (void)file_.append(ChunkType::thread, 1, std::as_bytes(std::span(&record, 1)));
}

Status RecorderState::flush() {
  std::lock_guard lock(mutex_);
  return flush_locked();
}

Status RecorderState::flush_locked() {
  for (const auto& ring : rings_) count_dropped(ring->write_out(file_));
  const std::uint64_t dropped = dropped_.load(std::memory_order_relaxed);
  if (dropped == 0) return {};
  // An empty chunk does no harm and tells whether, and why, the file cannot be written.
  if (Status status = file_.append(ChunkType::events, 0, {}); !status.ok()) return status;
  return Status(Code::out_of_memory,
                "trace: " + std::to_string(dropped) + " events lost: no memory for a thread's ring");
}

Status RecorderState::close() {
  std::lock_guard lock(mutex_);
  if (closed_.exchange(true)) return close_status_;
  close_status_ = flush_locked();
  const FinishRecord finish{.clocks = read_clocks(), .dropped = dropped_.load(std::memory_order_relaxed)};
  Status status = file_.append(ChunkType::finish, 1, std::as_bytes(std::span(&finish, 1)));
  if (close_status_.ok()) close_status_ = std::move(status);
  return close_status_;
}

}  // namespace polder::trace
