#include "trace/recorder.hpp"

#include "trace/recorder_state.hpp"
#include "util/log.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace polder::trace {

namespace {

// The rings that this thread was given, one for each recorder it met.
class ThreadRings {
 public:
  ~ThreadRings();

  // The ring for `state`, from a recorder seen before or handed out now. Null if there is no memory.
  Ring* find_or_get(const std::shared_ptr<RecorderState>& state);

 private:
  // The weak pointer keeps the address of a recorder's state from being used again while it is remembered here, so an
  // address is as good as a serial number.
  struct Entry {
    const RecorderState* key;
    std::weak_ptr<RecorderState> state;
    Ring* ring;
  };
  std::vector<Entry> entries_;
};

// What record() looks at first: the recorder used last by this thread. Needs no destructor, so it can be read even by
// what runs after the destructors of the thread.
struct LastUsed {
  const RecorderState* state = nullptr;
  Ring* ring = nullptr;
  bool thread_ended = false;
};

constinit thread_local LastUsed t_last_used;
thread_local ThreadRings t_rings;

ThreadRings::~ThreadRings() {
  t_last_used = {.thread_ended = true};
  for (Entry& entry : entries_)
    if (const auto state = entry.state.lock()) state->hand_back(*entry.ring);
}

Ring* ThreadRings::find_or_get(const std::shared_ptr<RecorderState>& state) {
  for (const Entry& entry : entries_)
    if (entry.key == state.get()) return entry.ring;
  std::erase_if(entries_, [](const Entry& entry) { return entry.state.expired(); });
  entries_.reserve(entries_.size() + 1);
  Ring* ring = state->hand_out();
  if (ring != nullptr) entries_.push_back({state.get(), state, ring});
  return ring;
}

POLDER_NOINLINE Ring* find_ring(const std::shared_ptr<RecorderState>& state) {
  if (t_last_used.thread_ended) return nullptr;
  t_last_used = {};
  try {
    Ring* ring = t_rings.find_or_get(state);
    if (ring != nullptr) t_last_used = {.state = state.get(), .ring = ring};
    return ring;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

Ring* ring_of_this_thread(const std::shared_ptr<RecorderState>& state) {
  if (t_last_used.state == state.get()) [[likely]]
    return t_last_used.ring;
  return find_ring(state);
}

FileHeader header_of(const RecorderOptions& options) {
  FileHeader header{.event_bytes = sizeof(Event),
                    .rank = options.rank,
                    .size = options.size,
                    .job = options.job,
                    .clocks = read_clocks(),
                    .pid = std::uint32_t(::getpid())};
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
  auto state = std::make_shared<RecorderState>(options.ring_events);
  if (Status status = state->file().create(options.directory, header_of(options)); !status.ok()) return status;
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(state), options.clock));
  if (Status status = recorder->name_kinds(shared_kinds()); !status.ok()) return status;
  return recorder;
}

Recorder::~Recorder() {
  // The status of a close() that the owner called has been told; here it is for those who just let go.
  if (closed_) return;
  if (Status status = close(); !status.ok()) util::log(util::LogLevel::warning, "%s", status.to_string().c_str());
}

void Recorder::record(const Event& event) {
  Ring* ring = ring_of_this_thread(state_);
  if (ring == nullptr) [[unlikely]] {
    // What a process still does while it exits, after its thread's memory is gone, is nobody's loss.
    if (!t_last_used.thread_ended) state_->count_dropped(1);
    return;
  }
  state_->record(*ring, event);
}

Status Recorder::name_kinds(std::span<const KindName> names) {
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
    append(lengths, sizeof lengths);
    append(name.data(), name.size());
    append(category.data(), category.size());
  }
  return state_->file().append(ChunkType::names, std::uint32_t(names.size()), payload);
}

void Recorder::name_thread(std::string_view name) {
  if (Ring* ring = ring_of_this_thread(state_)) state_->name_thread(*ring, name);
}

Status Recorder::flush() {
  return state_->flush();
}

Status Recorder::close() {
  closed_ = true;
  return state_->close();
}

const std::string& Recorder::path() const {
  return state_->file().path();
}

}  // namespace polder::trace
