#include "trace/record/recorder_state.hpp"

#include "util/futex.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace polder::trace {

namespace {

constexpr std::int64_t kWriterNap_ns = 200'000'000;

std::string system_thread_name() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

// Of all threads of the process that are left, in which they waited for a core; the second number of schedstat.
std::uint64_t run_delay_ns() {
  std::uint64_t sum = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    std::uint64_t ran = 0, waited = 0;
    std::ifstream(it->path() / "schedstat") >> ran >> waited;
    sum += waited;
  }
  return sum;
}

}  // namespace

RecorderState::RecorderState(const Limits& limits, const Ticks& ticks)
    : limits_(limits), ticks_(ticks), run_delay_at_start_(ticks.simulated() ? 0 : run_delay_ns()) {}

EventRing* RecorderState::hand_out() {
  EventRing* ring = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      ring = idle_.back();
      idle_.pop_back();
    } else {
      if (ring_bytes_ + std::uint64_t(limits_.ring_events) * sizeof(Event) > limits_.memory) return nullptr;
      std::unique_ptr<EventRing> fresh = EventRing::create(limits_.ring_events);
      if (fresh == nullptr) return nullptr;
      ring = fresh.get();
      ring_bytes_ += ring->bytes();
      rings_.push_back(std::move(fresh));
      idle_.reserve(rings_.size());  // so that hand_back(), which runs in destructors, cannot throw
    }
    ring->set_thread(std::uint16_t(std::min<std::uint32_t>(threads_++, UINT16_MAX)));
  }
  name_thread(*ring, system_thread_name());
  return ring;
}

void RecorderState::hand_back(EventRing& ring) {
  std::lock_guard lock(mutex_);
  idle_.push_back(&ring);
}

// Half full: the writer is called. Full: it had no time, and the thread does its work.
void RecorderState::crowded(EventRing& ring, EventRing::Room room, const Event& event) {
  if (has_writer_.load(std::memory_order_relaxed)) {
    calls_.fetch_add(1, std::memory_order_release);
    util::futex_wake(calls_, 1);
  }
  if (room != EventRing::Room::none) return;
  write_out(ring);
  (void)ring.push(event);
}

void RecorderState::write_out(EventRing& ring) {
  ring.empty([this](std::span<const Event> events) { write_events(events); });
}

std::uint64_t RecorderState::room() const {
  const std::uint64_t used = file_.size() + sizeof(ChunkHeader);
  return is_full_.load(std::memory_order_relaxed) || used > limits_.file ? 0 : limits_.file - used;
}

void RecorderState::write_events(std::span<const Event> events) {
  const std::uint64_t fit = room() / sizeof(Event);
  if (events.size() > fit) {
    is_full_.store(true, std::memory_order_relaxed);
    beyond_.fetch_add(events.size() - fit, std::memory_order_relaxed);
    events = events.first(fit);
    if (events.empty()) return;
  }
  if (!file_.append(ChunkType::events, std::uint32_t(events.size()), std::as_bytes(events)).ok())
    count_lost(events.size());
}

void RecorderState::record_without_ring(Event event) {
  std::lock_guard lock(mutex_);
  if (closed_.load(std::memory_order_relaxed)) return;
  event.thread = 0;
  write_events({&event, 1});
}

void RecorderState::name_thread(const EventRing& ring, std::string_view name) {
  ThreadRecord record{.thread = ring.thread(), .system_id = std::uint32_t(::syscall(SYS_gettid))};
  set_text(record.name, name);
  // A file that cannot be written shows up when events are written.
  (void)file_.append(ChunkType::thread, 1, std::as_bytes(std::span(&record, 1)));
}

void RecorderState::start_writer() {
  // The program's handlers of signals must not run in a thread that it does not know.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  writer_ = std::thread([this] { write_now_and_then(); });
  has_writer_.store(true, std::memory_order_relaxed);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void RecorderState::write_now_and_then() {
  pthread_setname_np(pthread_self(), "polder-trace");
  while (!stopping_.load(std::memory_order_acquire)) {
    const std::uint32_t before = calls_.load(std::memory_order_acquire);
    {
      std::lock_guard lock(mutex_);
      for (const auto& ring : rings_) write_out(*ring);
    }
    const ClockReading reading = ticks_.read();
    if (room() >= sizeof reading) (void)file_.append(ChunkType::clock, 1, std::as_bytes(std::span(&reading, 1)));
    if (!stopping_.load(std::memory_order_acquire)) util::futex_wait(calls_, before, kWriterNap_ns);
  }
}

void RecorderState::stop_writer() {
  if (!writer_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  util::futex_wake(calls_, 1);
  writer_.join();
}

Status RecorderState::flush() {
  std::lock_guard lock(mutex_);
  return flush_locked();
}

Status RecorderState::flush_locked() {
  for (const auto& ring : rings_) write_out(*ring);
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (lost == 0) return {};
  // An empty chunk does no harm and tells whether, and why, the file cannot be written.
  if (Status status = file_.append(ChunkType::events, 0, {}); !status.ok()) return status;
  return Status(Code::out_of_memory, "trace: " + std::to_string(lost) + " events lost: no memory for a thread's ring");
}

Status RecorderState::close() {
  stop_writer();
  std::lock_guard lock(mutex_);
  if (closed_.exchange(true)) return close_status_;
  close_status_ = flush_locked();
  const std::uint64_t now = ticks_.simulated() ? 0 : run_delay_ns();
  const std::uint64_t delay = now - std::min(now, run_delay_at_start_);  // threads that have ended are not in it
  const FinishRecord finish{.clocks = ticks_.read(), .omitted = omitted(), .run_delay_ns = delay};
  Status status = file_.append(ChunkType::finish, 1, std::as_bytes(std::span(&finish, 1)));
  if (close_status_.ok()) close_status_ = std::move(status);
  return close_status_;
}

}  // namespace polder::trace
