#include "trace/record/process.hpp"

#include "trace/record/open_call.hpp"
#include "trace/record/recorder_use.hpp"

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
