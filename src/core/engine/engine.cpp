#include "core/engine/engine.hpp"

#include "core/engine/options.hpp"
#include "core/group/group_state.hpp"
#include "core/message/clock_ping.hpp"
#include "trace/record/options.hpp"
#include "trace/record/process.hpp"
#include "trace/record/span.hpp"
#include "util/log.hpp"
#include "util/scheduling.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace polder::core {
namespace {

constexpr Timeout kLastPatience = std::chrono::seconds(5);  // of a rank that leaves
// What a trace of several machines may add to their start and end, should rank 0 not answer.
constexpr Timeout kClockPatience = std::chrono::milliseconds(200);

PostOptions post_options(const RuntimeOptions& options) {
  return {.ordering = ordering_option(options.ordering),
          .staging = {.handoff = handoff_option(options.handoff),
                      .buffers = pool_buffers_option(),
                      .buffer_bytes = pool_buffer_bytes_option()},
          .queue_depth = options.queue_depth};
}

}  // namespace

Engine::Engine(EngineParts parts, const RuntimeOptions& options)
    : outside_(std::move(parts.bootstrap), std::move(parts.device)),
      progress_(outside_, wait_options(outside_.bootstrap->job(), parts.clock), helper_option(options.helper)),
      continuations_(progress_),
      peers_(outside_, progress_),
      messaging_(outside_, progress_, peers_),
      requests_(outside_, progress_, peers_, messaging_),
      death_news_(outside_, progress_, peers_, requests_),
      departures_(outside_, progress_, peers_, requests_),
      doubts_(outside_, progress_, peers_, requests_, death_news_, answer_option_ns()),
      remote_end_(outside_, progress_, peers_, requests_),
      peer_segments_(outside_, progress_, peers_, requests_),
      revocations_(progress_, peer_segments_, requests_),
      segments_({outside_, progress_, peers_, messaging_, requests_, peer_segments_, continuations_},
                options.segment_limit),
      emulation_(outside_, requests_),
      server_({outside_, progress_, requests_, segments_, peer_segments_}),
      one_sided_({outside_, progress_, progress_.clock(), peers_, peer_segments_, emulation_, messaging_},
                 post_options(options)),
      groups_({outside_, progress_, progress_.clock(), peers_, requests_, peer_segments_, segments_, one_sided_,
               departures_}) {}

Result<std::unique_ptr<Engine>> Engine::create(EngineParts parts, const RuntimeOptions& options) {
  if (options.ordering > Ordering::strict)
    return Status(Code::invalid_argument, "create: there is no Ordering " + std::to_string(unsigned(options.ordering)));
  if (options.helper > Helper::polling)
    return Status(Code::invalid_argument, "create: there is no Helper " + std::to_string(unsigned(options.helper)));
  if (options.queue_depth == 0)
    return Status(Code::invalid_argument, "create: the default queue needs a depth of at least 1");
  std::unique_ptr<Engine> engine(new Engine(std::move(parts), options));
  const std::int64_t begin = engine->clock().now_ns();
  if (Status status = engine->open(); !status.ok()) return status;
  if (Status status = engine->make_world(options); !status.ok()) return status;
  ping_clocks(engine->outside_, engine->progress_, engine->peers_, engine->requests_, kClockPatience);
  if (engine->recorder() != nullptr)
    engine->recorder()->record_past(trace::EventKind::runtime, begin, engine->clock().now_ns(), {});
  return engine;
}

Status Engine::open() {
  // From the start and at every rank alike: among ranks that yield to each other, those with short slices would push
  // the others aside.
  if (clock().simulated() == nullptr) util::ask_for_short_slices(progress_.patience().options().time_slice_ns);
  outside_.device->on_failure([this](Rank rank, const Status& why) { peers_.link_failed(rank, why); });
  outside_.device->on_leave([this](Rank rank) { peers_.has_left(rank); });
  if (Status status = segments_.open(outside_.bootstrap->job().id); !status.ok()) return status;
  peers_.open(segments_.root());
  answer_clock_pings(outside_, requests_);
  if (Status status = publish_address(); !status.ok()) return status;
  if (Status status = outside_.bootstrap->share_records(); !status.ok()) return status;
  if (Status status = open_trace(); !status.ok()) return status;
  if (outside_.device->capabilities().needs_progress) progress_.start_helper();
  return {};
}

Status Engine::make_world(const RuntimeOptions& options) {
  std::vector<Rank> all(size());
  std::iota(all.begin(), all.end(), Rank{0});
  auto world = GroupState::make(groups_, std::move(all));
  if (!world.ok()) return std::move(world).status();
  world_ = *std::move(world);
  world_->state().define_in_trace();
  return options.commit_world ? world_->commit(options.timeout) : Status();
}

Engine::~Engine() {
  leave();
  if (outside_.trace != nullptr) trace::withdraw(*outside_.trace);
  world_.reset();
  progress_.close();
  progress_.stop_helper();
  continuations_.stop();
  requests_.fail_all();
  segments_.close();
  outside_.device.reset();  // completes what is still under way; nothing refers to this runtime afterwards
}

// What is under way may be what a peer waits for: its last flag of a barrier, say; and members of its groups may still
// read what it broadcast last. A peer that is gone ends its operations itself, and reads nothing.
void Engine::leave() {
  if (outside_.in_forked_child() || left_.exchange(true)) return;
  one_sided_.finish(kLastPatience);
  await_readers();
  ping_clocks(outside_, progress_, peers_, requests_, kClockPatience);
  await_last_clock_pings(outside_, progress_);
  announce_departure();
  outside_.bootstrap->finish();
}

void Engine::await_readers() {
  const auto all_have_read = [this] {
    bool needed = false;
    groups_.for_each([&](const GroupState& group) { needed = needed || group.needed(); });
    return !needed;
  };
  (void)progress_.wait(
      all_have_read, [this] { return peers_.check_open(); }, progress_.completions(), kLastPatience);
}

// Before the state changes: whoever sees that finds the word.
void Engine::announce_departure() {
  if (progress_.closed()) return;
  std::vector<GroupProgress> progress;
  groups_.for_each([&](const GroupState& group) { progress.push_back(group.progress()); });
  departures_.announce(std::move(progress));
}

void Engine::retire() {
  if (outside_.in_forked_child()) return;
  leave();
  progress_.close();
  progress_.completions().ring();
  progress_.stop_helper();
  requests_.fail_all();
  outside_.device->retire();
  // The process may end without the destructor: its last events are the ones that are looked for. Other threads may
  // still record, so the trace stays open; a full disk has been told when it filled.
  if (recorder() != nullptr) (void)recorder()->flush();
}

Status Engine::publish_address() {
  const device::Key& root = segments_.root_exposure().key;
  const std::vector<std::byte> address = outside_.device->address();
  std::vector<std::byte> blob(sizeof root + address.size());
  std::memcpy(blob.data(), &root, sizeof root);
  std::copy(address.begin(), address.end(), blob.begin() + sizeof root);
  // Once for all runtimes of the process.
  const std::string& host = outside_.bootstrap->job().host;
  if (Status status = outside_.bootstrap->publish(kHostKey, std::as_bytes(std::span(host)));
      !status.ok() && status.code() != Code::exists)
    return status;
  // The runtimes of a process are told apart by the order in which they are made, which is the same at all ranks.
  for (int number = 0;; ++number) {
    outside_.name = "runtime/" + std::to_string(number);
    Status status = outside_.bootstrap->publish(outside_.name, blob);
    if (status.code() != Code::exists) return status;
  }
}

Status Engine::open_trace() {
  if (outside_.name != "runtime/0") return {};
  const bootstrap::Job& job = outside_.bootstrap->job();
  trace::RecorderOptions how;
  how.rank = job.rank;
  how.size = job.size;
  how.job = job.id;
  how.host = job.host;
  how.cores = std::uint32_t(job.cores);
  how.local_ranks = job.local_size;
  how.clock = clock();
  const auto wanted = trace::read_environment(how);
  if (!wanted.ok()) return wanted.status();
  if (!*wanted) return {};
  auto counters = trace::wanted_counters();
  if (!counters.ok()) return std::move(counters).status();
  auto recorder = trace::Recorder::open(how);
  if (recorder.status().code() == Code::limit) {
    util::log(util::LogLevel::warning, "nothing is recorded: %s", recorder.status().to_string().c_str());
    return {};
  }
  if (!recorder.ok()) return std::move(recorder).status();
  outside_.trace = *std::move(recorder);
  trace::publish(*outside_.trace);
  const std::string refused = trace::publish_counters(*outside_.trace, *std::move(counters));
  // All ranks of a machine hear the same.
  if (!refused.empty() && job.local_rank == 0)
    util::log(util::LogLevel::warning, "POLDER_TRACE_COUNTERS: %s", refused.c_str());
  return {};
}

Status Engine::trouble_of_waiting(const PeerSegment& segment, SegmentId id, const Watch& watch) {
  if (Status status = peers_.check_open(); !status.ok()) return status;
  // In this order: the memory of one that was revoked may be gone.
  if (segment.revoked.load(std::memory_order_acquire) || !segment.live())
    return {Code::invalid_segment, "segment " + std::to_string(id) + " was deleted during a wait"};
  if (Status status = peers_.check_watched(watch); !status.ok()) return status;
  if (size() == 1 || peers_.any_left()) return {};  // alone from the start: another thread may notify
  return {Code::peer_failed, "waiting for a notification: all other ranks are gone", Died::peer};
}

void Engine::describe_wait(bootstrap::LongWait& wait, const std::string& what, const Watch& watch) {
  wait.say("for " + what);
  if (watch.rank != Watch::kNobody) wait.wait_for(watch.rank);
  for (const Rank rank : watch.ranks) wait.wait_for(rank);
}

}  // namespace polder::core
