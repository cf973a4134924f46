// The parts of a runtime, in the order in which they come to life. Each is a class with a file of its own; here they
// meet.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "core/emulate/emulation.hpp"
#include "core/health/death_news.hpp"
#include "core/health/departures.hpp"
#include "core/health/doubts.hpp"
#include "core/message/messaging.hpp"
#include "core/peers/peers.hpp"
#include "core/post/aggregate.hpp"
#include "core/post/operation.hpp"
#include "core/post/staging.hpp"
#include "core/progress/answer_bells.hpp"
#include "core/progress/outstanding.hpp"
#include "core/segment/segments.hpp"
#include "device/device.hpp"
#include "trace/recorder.hpp"
#include "util/bell.hpp"
#include "util/waiting.hpp"

#include <polder/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace polder::core {

class GroupState;

// What an engine is built from; tests and simulations bring their own.
struct EngineParts {
  std::unique_ptr<bootstrap::Bootstrap> bootstrap;
  std::unique_ptr<device::Device> device;
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(EngineParts parts, const RuntimeOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Rank rank() const { return bootstrap->job().rank; }
  Rank size() const { return bootstrap->job().size; }
  trace::Recorder* recorder() const { return recorder_.get(); }
  const std::string& name() const { return name_; }  // of this runtime among those of its process: "runtime/0"

  // Waits until `ready()` holds, making progress meanwhile where nobody else does. `trouble()` may end the wait early.
  template <class Ready, class Trouble>
  Status wait(Ready&& ready, Trouble&& trouble, util::Bell& bell, Timeout timeout) {
    const auto polled = [&] {
      if (messaging.active()) progress();
      return ready();
    };
    const auto checked = [&]() -> Status {
      if (messaging.active()) device->stop_polling();
      if (peers.attention()) peers.refresh();
      return trouble();
    };
    if (!messaging.by_callers()) [[likely]]
      return util::wait_until(polled, checked, bell, patience, timeout);
    // Nobody else hears what comes from the network. The bell may ring unheard meanwhile, for a millisecond.
    const auto sleep = [this](auto&& over, std::int64_t nanoseconds) {
      if (over()) return true;
      device->wait_alone(std::min<std::int64_t>(nanoseconds, 1'000'000));
      return false;
    };
    return util::wait_asleep(polled, checked, sleep, patience, timeout);
  }

  // Why an answer of `peer` will never come.
  Status trouble_with(const Peer& peer) const {
    if (peers.closed()) return Code::closed;
    return peer.failed.load(std::memory_order_acquire) ? peers.gone(peer.rank) : Status();
  }

  // Repeats `attempt` while it returns queue_full, making progress in between.
  template <class Attempt>
  Status post_until_accepted(Peer& peer, Attempt&& attempt, Timeout timeout) {
    Status status = attempt();
    if (status.code() != Code::queue_full) return status;
    const Status waited = wait([&] { return (status = attempt()).code() != Code::queue_full; },
                               [&] { return trouble_with(peer); }, completions, timeout);
    if (waited.timed_out()) return Code::queue_full;
    return waited.ok() ? status : waited;
  }

  // Leaves the job in good order: waits until what was posted has arrived, five seconds at most, and says goodbye. The
  // second time it does nothing.
  void leave();
  // The same, and every call from now on returns `closed`, also those that are under way. Nothing is freed.
  void retire();

  int progress();
  // The part of it that is not the device's: replies that found no room, segments that are about to go.
  int attend();

  // Waits for what counts in `which`. A device completes everything in the end, with an error where a peer is gone, so
  // only a closed runtime ends this wait early.
  Status drain(Outstanding& which, Timeout timeout);
  Status closed_status() const { return peers.closed() ? Status(Code::closed) : Status(); }

  // Why waiting for a change in an own segment is in vain: it was deleted, nobody is left who could bring it about, or
  // one of those is gone whom the caller watches.
  Status trouble_of_waiting(const PeerSegment& segment, SegmentId id, const Watch& watch);

  // Ends the process of a rank of another node, by a message to its runtime, whose helper answers, not its program.
  // timeout: it does not.
  Status end_peer(Rank rank, Timeout timeout);

  // Keeps the counters of a queue whose owner is gone until its operations have ended.
  void adopt(std::unique_ptr<QueueState> queue);
  std::uint16_t next_queue_number() { return queue_numbers_.fetch_add(1, std::memory_order_relaxed); }

  Outstanding& segment_operations(SegmentId id) {
    return segment_operations_.find_or_insert(id, [] { return std::make_unique<Outstanding>(); });
  }

  // What is under way to a segment of a peer.
  Hazards& hazards_of(Peer& peer, SegmentId id) {
    return peer.segments.find_or_insert(id, [] { return std::make_unique<SegmentSlot>(); }).hazards;
  }

  // ---- parts, in order of construction ----
  std::unique_ptr<bootstrap::Bootstrap> bootstrap;
  std::unique_ptr<device::Device> device;
  const RuntimeOptions options;
  util::Patience patience;
  util::Bell completions;  // of this process: rung when an operation ends
  AnswerBells answer_bells{completions};
  Outstanding operations;           // all that users posted
  Outstanding local_operations;     // those whose local memory is in use
  Outstanding internal_operations;  // of groups and mutexes: a fence does not wait for them
  std::atomic<std::int64_t> emulated{
      0};                   // of those, how many are messages: a direct store of a flag would overtake them
  const Ordering ordering;  // of operations that name none
  OperationPool pool;
  StagingPool staging;
  Aggregates aggregates;
  Segments segments;
  Peers peers;
  Messaging messaging;
  Emulation emulation;
  DeathNews death_news;
  Departures departures;
  Doubts doubts;

  std::unique_ptr<Queue> default_queue;
  std::unique_ptr<Queue> internal_queue;  // of groups, so that users' queues hold only users' operations
  std::unique_ptr<Group> world;
  std::atomic<Group*> default_group{nullptr};  // null: the world

  // Which entries of the root's table of groups are taken.
  std::mutex groups_mutex;
  std::vector<GroupState*> groups;

 private:
  Engine(EngineParts parts, const RuntimeOptions& options);
  Status open_trace();
  Status publish_address();
  void announce_departure();

  std::unique_ptr<trace::Recorder> recorder_;
  std::string name_;
  util::SparseTable<Outstanding> segment_operations_;
  std::atomic<std::uint16_t> queue_numbers_{0};
  std::atomic<bool> left_{false};
  std::mutex adopted_mutex_;
  std::vector<std::unique_ptr<QueueState>> adopted_;
};

}  // namespace polder::core
