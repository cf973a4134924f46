#include "trace/record/process.hpp"

#include "trace/record/open_call.hpp"
#include "trace/record/recorder_use.hpp"

#include <polder/trace.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace polder::trace {

constinit std::atomic<Recorder*> door_recorder{nullptr};

namespace {

void record_open_call(Recorder& recorder);

constinit std::atomic<Hardware*> hardware{nullptr};

constexpr std::uint16_t kMostNames = 60'000;

// Never destroyed: threads may call until the very end.
struct Names {
  std::mutex mutex;
  std::map<std::string, EventKind, std::less<>> users;
  std::deque<std::string> texts;  // that entries below point to
  std::vector<KindName> all;
  std::vector<Recorder*> recorders;
  std::deque<Hardware> hardware;  // the last one counts
};

Names& names() {
  static Names* const the_names = new Names;
  return *the_names;
}

EventKind shared_kind(Like like) {
  static constexpr EventKind kKinds[] = {EventKind::put,
                                         EventKind::get,
                                         EventKind::put_notify,
                                         EventKind::notify,
                                         EventKind::atomic,
                                         EventKind::accumulate,
                                         EventKind::wait_some,
                                         EventKind::reset,
                                         EventKind::queue_wait,
                                         EventKind::fence,
                                         EventKind::lock,
                                         EventKind::unlock,
                                         EventKind::message,
                                         EventKind::receive,
                                         EventKind::barrier,
                                         EventKind::broadcast,
                                         EventKind::reduce,
                                         EventKind::allreduce,
                                         EventKind::reduce_scatter,
                                         EventKind::allgather,
                                         EventKind::gather,
                                         EventKind::scatter,
                                         EventKind::alltoall,
                                         EventKind::segment_create,
                                         EventKind::segment_delete,
                                         EventKind::group_create,
                                         EventKind::connect,
                                         EventKind::disconnect,
                                         EventKind::other_call};
  return kKinds[std::size_t(like)];
}

void add(Names& to, const KindName& name) {
  to.all.push_back(name);
  for (Recorder* recorder : to.recorders) (void)recorder->name_kinds({&name, 1});
}

}  // namespace

void publish(Recorder& recorder) {
  std::lock_guard lock(names().mutex);
  names().recorders.push_back(&recorder);
  if (!names().all.empty()) (void)recorder.name_kinds(names().all);
  Recorder* none = nullptr;
  door_recorder.compare_exchange_strong(none, &recorder);
}

std::string publish_counters(Recorder& recorder, std::vector<HardwareCounter> counters) {
  if (counters.empty()) return "";
  std::lock_guard lock(names().mutex);
  Hardware& made = names().hardware.emplace_back(std::move(counters));
  (void)recorder.name_kinds(made.names());
  hardware.store(&made, std::memory_order_release);
  return made.prepare();
}

void record_hardware(Recorder& recorder, std::int64_t at) {
  if (Hardware* const counting = hardware.load(std::memory_order_acquire)) counting->record(recorder, at);
}

void withdraw(Recorder& recorder) {
  record_open_call(recorder);
  {
    std::lock_guard lock(names().mutex);
    std::erase(names().recorders, &recorder);
    Recorder* mine = &recorder;
    door_recorder.compare_exchange_strong(mine, nullptr);
  }
  wait_for_users(recorder);
}

EventKind name_user_kind(std::string_view text) {
  if (text.empty() || text.size() > 255) return EventKind::none;
  Names& known = names();
  std::lock_guard lock(known.mutex);
  if (const auto found = known.users.find(text); found != known.users.end()) return found->second;
  if (known.users.size() >= kMostNames) return EventKind::none;
  const EventKind kind = kind_of(EventKind::first_user, std::uint16_t(known.users.size()));
  known.users.emplace(text, kind);
  known.texts.emplace_back(text);
  add(known, {kind, EventKind::region, known.texts.back().c_str(), "user"});
  return kind;
}

void name_module_kinds(std::span<const KindName> given) {
  Names& known = names();
  std::lock_guard lock(known.mutex);
  for (const KindName& name : given) {
    const bool again = std::ranges::any_of(known.all, [&](const KindName& other) { return other.kind == name.kind; });
    if (!again) add(known, name);
  }
}

void name_door_calls(std::span<const DoorCallName> calls) {
  std::vector<KindName> kinds;
  for (const DoorCallName& call : calls)
    kinds.push_back({EventKind(call.kind), shared_kind(call.like), call.name, call.category});
  name_module_kinds(kinds);
}

// ---- calls of doors ----

namespace {

struct OpenDoorCall {
  OpenCall call;
  Code outcome = Code::ok;
  const Recorder* recorder = nullptr;
  std::uint16_t kind = 0;
  std::int64_t begin = 0;
};
thread_local OpenDoorCall this_door_call;

// The call that ends the runtime would come to its own end too late.
void record_open_call(Recorder& recorder) {
  const OpenDoorCall& open = this_door_call;
  if (open_call != &open.call || open.recorder != &recorder) return;
  recorder.record(
      make_event(EventKind(open.kind), Phase::span, open.begin, recorder.now(), open.call.details, open.outcome));
}

}  // namespace

void DoorCall::begin(std::uint16_t kind, const DoorDetails& details) {
  if (open_call != nullptr) return;  // made by another call of the door, which is recorded
  const RecorderUse use;
  if (!use) return;
  recorder_ = use.get();
  kind_ = kind;
  details_ = details;
  begin_ = recorder_->now();
  this_door_call = {.call = {}, .outcome = Code::ok, .recorder = recorder_, .kind = kind, .begin = begin_};
  open_call = &this_door_call.call;
}

void DoorCall::end() {
  OpenCall call = this_door_call.call;
  call.add({details_.peer, details_.segment, details_.bytes, details_.queue, details_.notification, details_.value});
  open_call = nullptr;
  // The runtime may have ended meanwhile, by this call or by one of another thread.
  const RecorderUse use(recorder_);
  if (!use) return;
  use->record(make_event(EventKind(kind_), Phase::span, begin_, use->now(), call.details, this_door_call.outcome));
}

void DoorCall::note_outcome(Code code) {
  if (open_call != nullptr) this_door_call.outcome = code;
}

}  // namespace polder::trace

// ---- the C form ----

namespace {

using polder::trace::EventKind;
using polder::trace::Phase;
using polder::trace::RecorderUse;

EventKind kind_of_name(polder_trace_name_t name) {
  return name == 0 ? EventKind::none : kind_of(EventKind::first_user, std::uint16_t(name - 1));
}

struct OpenRegions {
  static constexpr int kDeepest = 64;
  int depth = 0;
  polder_trace_name_t names[kDeepest];
  std::int64_t begins[kDeepest];
};
constinit thread_local OpenRegions regions{};

void record_now(polder_trace_name_t name, Phase phase, std::uint64_t value) {
  const RecorderUse to;
  if (!to || name == 0) return;
  const std::int64_t now = to->now();
  to->record(make_event(kind_of_name(name), phase, now, now, {.bytes = value}));
}

}  // namespace

extern "C" {

polder_trace_name_t polder_trace_name(const char* text) {
  if (text == nullptr) return 0;
  const EventKind kind = polder::trace::name_user_kind(text);
  return kind == EventKind::none ? polder_trace_name_t{0}
                                 : polder_trace_name_t(std::uint16_t(kind) - std::uint16_t(EventKind::first_user) + 1);
}

int polder_trace_active(void) {
  const RecorderUse to;
  return to && !to->paused() ? 1 : 0;
}

void polder_trace_begin(polder_trace_name_t name) {
  const RecorderUse to;
  if (!to) return;
  if (regions.depth < OpenRegions::kDeepest) {
    regions.names[regions.depth] = name;
    const std::int64_t now = to->now();
    regions.begins[regions.depth] = now;
    polder::trace::record_hardware(*to.get(), now);
  }
  ++regions.depth;
}

void polder_trace_end(void) {
  const RecorderUse to;
  if (!to || regions.depth == 0) return;
  const int at = --regions.depth;
  if (at >= OpenRegions::kDeepest || regions.names[at] == 0) return;
  const std::int64_t now = to->now();
  polder::trace::record_hardware(*to.get(), now);
  to->record(make_event(kind_of_name(regions.names[at]), Phase::span, regions.begins[at], now, {}));
}

void polder_trace_mark(polder_trace_name_t name, uint64_t value) {
  record_now(name, Phase::mark, value);
}

void polder_trace_count(polder_trace_name_t name, uint64_t level) {
  record_now(name, Phase::counter, level);
}

void polder_trace_pause(void) {
  if (const RecorderUse to; to) to->pause();
}

void polder_trace_resume(void) {
  if (const RecorderUse to; to) to->resume();
}

void polder_trace_flush(void) {
  if (const RecorderUse to; to) (void)to->flush();
}

}  // extern "C"
