#include "core/engine/engine.hpp"

#include "core/engine/options.hpp"
#include "core/group/group_state.hpp"
#include "trace/span.hpp"
#include "util/log.hpp"
#include "util/scheduling.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace polder::core {

Engine::Engine(EngineParts parts, const RuntimeOptions& opts)
    : bootstrap(std::move(parts.bootstrap)),
      device(std::move(parts.device)),
      options(opts),
      patience(wait_options(int(bootstrap->job().local_size), bootstrap->job().cores)),
      ordering(ordering_option(opts.ordering)),
      pool(*this),
      staging(*this, handoff_option(opts.handoff)),
      aggregates(*this),
      segments(*this),
      peers(*this),
      messaging(*this),
      emulation(*this),
      death_news(*this),
      departures(*this),
      doubts(*this),
      groups(Root::kGroups),
      segment_operations_(kSegmentIdLimit) {}

Result<std::unique_ptr<Engine>> Engine::create(EngineParts parts, const RuntimeOptions& options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(parts), options));
  Engine& e = *engine;
  // From the start and at every rank alike: among ranks that yield to each other, those with short slices would push
  // the others aside.
  util::ask_for_short_slices(e.patience.options().time_slice_ns);
  const std::int64_t begin = util::now_ns();
  e.device->on_failure([&e](Rank rank, const Status& why) { e.peers.link_failed(rank, why); });
  e.device->on_leave([&e](Rank rank) { e.peers.has_left(rank); });
  if (Status status = e.segments.open(e.bootstrap->job().id); !status.ok()) return status;
  if (Status status = e.publish_address(); !status.ok()) return status;
  if (Status status = e.bootstrap->share_records(); !status.ok()) return status;
  if (Status status = e.open_trace(); !status.ok()) return status;
  e.default_queue = QueueState::make(e, options.queue_depth, e.next_queue_number());
  e.internal_queue = QueueState::make_internal(e);
  if (e.device->capabilities().needs_progress) e.messaging.start_helper();
  std::vector<Rank> all(e.size());
  std::iota(all.begin(), all.end(), Rank{0});
  auto world = GroupState::make(e, std::move(all));
  if (!world.ok()) return std::move(world).status();
  e.world = *std::move(world);
  if (options.commit_world)
    if (Status status = e.world->commit(options.timeout); !status.ok()) return status;
  if (e.recorder() != nullptr)
    e.recorder()->record(
        trace::make_event(trace::Kind::runtime, trace::Phase::span, begin, util::now_ns(), {}, Code::ok));
  return engine;
}

Engine::~Engine() {
  leave();
  world.reset();
  default_queue.reset();
  internal_queue.reset();
  peers.close();
  messaging.stop_helper();
  emulation.fail_all();
  segments.close();
  device.reset();  // completes what is still under way; nothing refers to this runtime afterwards
}

// What is under way may be what a peer waits for: its last flag of a barrier, say. A peer that is gone ends its
// operations itself.
void Engine::leave() {
  if (left_.exchange(true)) return;
  static constexpr Timeout kPatience = std::chrono::seconds(5);
  aggregates.flush_all(kPatience);
  const util::Deadline deadline(kPatience);
  for (Outstanding* each : {&operations, &internal_operations})
    if (Status status = drain(*each, deadline.remaining()); status.timed_out())
      util::log(util::LogLevel::warning, "rank %u: %lld operations had not ended when their runtime did", rank(),
                static_cast<long long>(each->count()));
  announce_departure();
  bootstrap->finish();
}

// Before the state changes: whoever sees that finds the word.
void Engine::announce_departure() {
  if (peers.closed()) return;
  std::vector<GroupProgress> progress;
  {
    std::lock_guard lock(groups_mutex);
    for (const GroupState* group : groups)
      if (group != nullptr) progress.push_back(group->progress());
  }
  departures.announce(std::move(progress));
}

void Engine::retire() {
  leave();
  peers.close();
  completions.ring();
  messaging.stop_helper();
  emulation.fail_all();
  device->retire();
}

Status Engine::publish_address() {
  const device::Key& root = segments.root_exposure().key;
  const std::vector<std::byte> address = device->address();
  std::vector<std::byte> blob(sizeof root + address.size());
  std::memcpy(blob.data(), &root, sizeof root);
  std::copy(address.begin(), address.end(), blob.begin() + sizeof root);
  // The runtimes of a process are told apart by the order in which they are made, which is the same at all ranks.
  for (int number = 0;; ++number) {
    name_ = "runtime/" + std::to_string(number);
    Status status = bootstrap->publish(name_, blob);
    if (status.code() != Code::exists) return status;
  }
}

Status Engine::open_trace() {
  const std::string directory = trace_directory_option();
  if (directory.empty() || name_ != "runtime/0") return {};
  const bootstrap::Job& job = bootstrap->job();
  auto recorder = trace::Recorder::open(
      {.directory = directory, .rank = job.rank, .size = job.size, .job = job.id, .host = job.host});
  if (!recorder.ok()) return std::move(recorder).status();
  recorder_ = *std::move(recorder);
  return {};
}

int Engine::progress() {
  return device->progress(messaging) + attend();
}

int Engine::attend() {
  return emulation.flush_backlog() + segments.settle() + death_news.tell() + departures.tell() + doubts.attend();
}

Status Engine::drain(Outstanding& which, Timeout timeout) {
  if (which.count() == 0) return {};  // nearly always, on one machine: no look at the clock, which takes 25 ns
  const util::Deadline deadline(timeout);
  return which.drain([&](const auto& ready) {
    return wait(
        ready, [this] { return closed_status(); }, completions, deadline.remaining());
  });
}

Status Engine::trouble_of_waiting(const PeerSegment& segment, SegmentId id, const Watch& watch) {
  if (Status status = peers.check_open(); !status.ok()) return status;
  if (!segment.live()) return {Code::invalid_segment, "segment " + std::to_string(id) + " was deleted during a wait"};
  if (Status status = peers.check_watched(watch); !status.ok()) return status;
  if (size() == 1 || peers.any_left()) return {};  // alone from the start: another thread may notify
  return {Code::peer_failed, "waiting for a notification: all other ranks are gone", Died::peer};
}

Status Engine::end_peer(Rank rank, Timeout timeout) {
  const util::Deadline deadline(timeout);
  auto peer = peers.connect(rank, timeout);
  if (!peer.ok()) return std::move(peer).status();
  auto question = Question::make(*this);
  Status status = question->ask(question, [&](Question& q) {
    return post_until_accepted(
        **peer, [&] { return emulation.ask_to_end(**peer, &q); }, deadline.remaining());
  });
  if (status.ok())
    status = wait([&] { return question->answered() || peers.health(rank) != Health::healthy; },
                  [this] { return closed_status(); }, completions, deadline.remaining());
  if (status.timed_out() || status.code() == Code::queue_full)
    return {Code::timeout, "kill: rank " + std::to_string(rank) + ", on another machine, does not answer"};
  if (!status.ok() || peers.health(rank) != Health::healthy || question->status().code() == Code::peer_failed)
    return status;
  return question->status();
}

void Engine::adopt(std::unique_ptr<QueueState> queue) {
  std::lock_guard lock(adopted_mutex_);
  std::erase_if(adopted_, [](const auto& old) { return old->outstanding() == 0; });
  if (queue->outstanding() != 0) adopted_.push_back(std::move(queue));
}

}  // namespace polder::core
