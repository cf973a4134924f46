#include "trace/record/recorder.hpp"

#include "trace/record/open_call.hpp"
#include "trace/record/recorder_state.hpp"
#include "util/log.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace polder::trace {

constinit thread_local OpenCall* open_call = nullptr;
constinit thread_local OpenCall library_call{};

namespace {

// The rings that this thread was given, one for each recorder it met.
class ThreadRings {
 public:
  ~ThreadRings();

  // The ring for `state`, from a recorder seen before or handed out now. Null if there is no memory.
  EventRing* find_or_get(const std::shared_ptr<RecorderState>& state);

 private:
  // The weak pointer keeps the address of a recorder's state from being used again while it is remembered here, so an
  // address is as good as a serial number.
  struct Entry {
    const RecorderState* key;
    std::weak_ptr<RecorderState> state;
    EventRing* ring;
  };
  std::vector<Entry> entries_;
};

// What record() looks at first: the recorder used last by this thread. Needs no destructor, so it can be read even by
// what runs after the destructors of the thread.
struct LastUsed {
  const RecorderState* state = nullptr;
  EventRing* ring = nullptr;
  bool thread_ended = false;
};

constinit thread_local LastUsed t_last_used;
thread_local ThreadRings t_rings;

ThreadRings::~ThreadRings() {
  t_last_used = {.thread_ended = true};
  for (Entry& entry : entries_)
    if (const auto state = entry.state.lock()) state->hand_back(*entry.ring);
}

EventRing* ThreadRings::find_or_get(const std::shared_ptr<RecorderState>& state) {
  for (const Entry& entry : entries_)
    if (entry.key == state.get()) return entry.ring;
  std::erase_if(entries_, [](const Entry& entry) { return entry.state.expired(); });
  entries_.reserve(entries_.size() + 1);
  EventRing* ring = state->hand_out();
  if (ring != nullptr) entries_.push_back({state.get(), state, ring});
  return ring;
}

POLDER_NOINLINE EventRing* find_ring(const std::shared_ptr<RecorderState>& state) {
  if (t_last_used.thread_ended) return nullptr;
  t_last_used = {};
  try {
    EventRing* ring = t_rings.find_or_get(state);
    if (ring != nullptr) t_last_used = {.state = state.get(), .ring = ring};
    return ring;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

EventRing* ring_of_this_thread(const std::shared_ptr<RecorderState>& state) {
  if (t_last_used.state == state.get()) [[likely]]
    return t_last_used.ring;
  return find_ring(state);
}

FileHeader header_of(const RecorderOptions& options, const Ticks& ticks) {
  FileHeader header{.event_bytes = sizeof(Event),
                    .rank = options.rank,
                    .size = options.size,
                    .job = options.job,
                    .clocks = ticks.read(),
                    .source = ticks.source(),
                    .pid = std::uint32_t(::getpid()),
                    .cores = options.cores,
                    .local_ranks = options.local_ranks};
  set_text(header.host, options.host);
  return header;
}

Status check(const RecorderOptions& options) {
  if (options.directory.empty()) return Status(Code::invalid_argument, "trace: open: the directory has no name");
  if (options.rank >= options.size)
    return Status(Code::invalid_rank,
                  "trace: open: rank " + std::to_string(options.rank) + " of a job of " + std::to_string(options.size));
  if (options.ring_events < 2 || options.ring_events > (1u << 24))
    return Status(Code::invalid_argument, "trace: open: a ring of " + std::to_string(options.ring_events) +
                                              " events; from 2 to 16777216 are possible");
  return {};
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const RecorderOptions& options) {
  if (Status status = check(options); !status.ok()) return status;
  const Ticks ticks(options.clock, options.clock_fault);
  auto state = std::make_shared<RecorderState>(
      RecorderState::Limits{options.ring_events, options.memory_limit, options.file_limit}, ticks);
  if (Status status = state->file().create(options.directory, header_of(options, ticks)); !status.ok()) return status;
  std::unique_ptr<Recorder> recorder(new Recorder(state, options, ticks));
  if (Status status = recorder->name_kinds(shared_kinds()); !status.ok()) {
    recorder->closed_ = true;  // nothing of it is to be told again
    state->file().remove();
    return Status(Code::limit, std::string(status.message()));
  }
  (void)ring_of_this_thread(recorder->state_);
  // Fibres of a simulation are one thread, which cannot run away from its rings.
  if (options.writer && options.clock.simulated() == nullptr) state->start_writer();
  return recorder;
}

Recorder::~Recorder() {
  // The status of a close() that the owner called has been told; here it is for those who just let go.
  if (closed_) return;
  if (Status status = close(); !status.ok()) util::log(util::LogLevel::warning, "%s", status.to_string().c_str());
}

void Recorder::record(const Event& event) {
  if (paused_.load(std::memory_order_relaxed)) [[unlikely]]
    return;
  if (selects_ && !selection_.wants(event)) [[unlikely]]
    return state_->count_filtered();
  take(event);
}

void Recorder::take(const Event& event) {
  EventRing* ring = ring_of_this_thread(state_);
  if (ring == nullptr) [[unlikely]] {
    // What a process still does while it exits, after its thread's memory is gone, is nobody's loss.
    if (!t_last_used.thread_ended) state_->count_lost(1);
    return;
  }
  state_->record(*ring, event);
}

void Recorder::record_past(EventKind kind, std::int64_t begin_ns, std::int64_t end_ns, const Details& details,
                           Code outcome) {
  record(make_event(kind, Phase::span, ticks_.at(begin_ns), ticks_.at(end_ns), details, outcome));
}

void Recorder::pause() {
  std::lock_guard lock(off_mutex_);
  if (!paused_.exchange(true)) off_since_ = now();
}

void Recorder::resume() {
  std::lock_guard lock(off_mutex_);
  if (!paused()) return;
  tell_pause(now());
  paused_.store(false);
}

// Of a pause only what lies in the window, for the rest is told with the window.
void Recorder::tell_pause(std::int64_t until) {
  const bool window = selection_.has_window();
  tell_off(window ? std::max(off_since_, selection_.from()) : off_since_,
           window ? std::min(until, selection_.to()) : until);
  off_since_ = until;
}

// What lies outside of the window was not looked at, as if recording had been off.
void Recorder::tell_window(std::int64_t until) {
  tell_off(window_told_, std::min(selection_.from(), until));
  tell_off(std::max(selection_.to(), window_told_), until);
  window_told_ = until;
}

void Recorder::tell_off(std::int64_t from, std::int64_t to) {
  if (from >= to) return;
  const Event event = make_event(EventKind::recording_off, Phase::span, from, to, {});
  if (EventRing* ring = ring_of_this_thread(state_))
    state_->record(*ring, event);
  else
    state_->record_without_ring(event);
}

// A pause may have no end, and a process may end here.
void Recorder::tell_so_far() {
  std::lock_guard lock(off_mutex_);
  const std::int64_t until = now();
  if (paused()) tell_pause(until);
  if (selection_.has_window()) tell_window(until);
}

// Not before the end: doors and the program name their kinds when they come to them.
void Recorder::tell_unknown_words() const {
  const std::string unknown = tells_unknown_words_ ? selection_.unknown_words() : "";
  if (unknown.empty()) return;
  util::log(util::LogLevel::warning,
            "POLDER_TRACE_KINDS: %s: no event that this rank knows, nor a category, has this name", unknown.c_str());
}

void Recorder::define_group(std::uint32_t tag, std::span<const Rank> members) {
  const GroupRecord record{tag, std::uint32_t(members.size())};
  std::vector<std::byte> payload(sizeof record + members.size_bytes());
  std::memcpy(payload.data(), &record, sizeof record);
  if (!members.empty()) std::memcpy(payload.data() + sizeof record, members.data(), members.size_bytes());
  (void)state_->file().append(ChunkType::group, 1, payload);  // a file that fails shows when events are written
}

void Recorder::note_sync(std::span<const SyncRecord> records) {
  (void)state_->file().append(ChunkType::sync, std::uint32_t(records.size()), std::as_bytes(records));
}

Status Recorder::name_kinds(std::span<const KindName> names) {
  selection_.add(names);
  std::vector<std::byte> payload;
  const auto append = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    payload.insert(payload.end(), bytes, bytes + size);
  };
  for (const KindName& entry : names) {
    const std::string_view name(entry.name), category(entry.category);
    if (name.empty() || name.size() > 255 || category.size() > 255)
      return Status(Code::invalid_argument, "trace: name_kinds: kind " + std::to_string(std::uint16_t(entry.kind)) +
                                                ": a name has 1 to 255 bytes, a category at most 255");
    const std::uint8_t lengths[] = {std::uint8_t(name.size()), std::uint8_t(category.size())};
    append(&entry.kind, sizeof entry.kind);
    append(&entry.like, sizeof entry.like);
    append(lengths, sizeof lengths);
    append(name.data(), name.size());
    append(category.data(), category.size());
  }
  return state_->file().append(ChunkType::names, std::uint32_t(names.size()), payload);
}

void Recorder::name_thread(std::string_view name) {
  if (EventRing* ring = ring_of_this_thread(state_)) state_->name_thread(*ring, name);
}

Status Recorder::flush() {
  tell_so_far();
  return state_->flush();
}

Status Recorder::close() {
  if (!closed_.exchange(true)) {
    tell_so_far();
    tell_unknown_words();
  }
  return state_->close();
}

Omissions Recorder::omitted() const {
  return state_->omitted();
}

const std::string& Recorder::path() const {
  return state_->file().path();
}

}  // namespace polder::trace
