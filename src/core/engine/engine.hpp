// The parts of a runtime, in the order in which they come to life. Each is built from the ports that it needs, and here
// they meet: nobody below knows this class.
#pragma once

#include "core/emulate/emulation.hpp"
#include "core/emulate/one_sided_server.hpp"
#include "core/group/group_table.hpp"
#include "core/health/death_news.hpp"
#include "core/health/departures.hpp"
#include "core/health/doubts.hpp"
#include "core/health/remote_end.hpp"
#include "core/message/messaging.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/continuations.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/revocations.hpp"
#include "core/segment/segments.hpp"
#include "util/platform.hpp"

#include <polder/runtime.hpp>

#include <atomic>
#include <memory>
#include <string_view>

namespace polder::core {

// What an engine is built from; tests and simulations bring their own.
struct EngineParts {
  std::unique_ptr<bootstrap::Bootstrap> bootstrap;
  std::unique_ptr<device::Device> device;
  util::Clock clock = {};
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(EngineParts parts, const RuntimeOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Under which each rank publishes the name of its machine.
  static constexpr std::string_view kHostKey = "host";

  // ---- the fast path ----
  trace::Recorder* recorder() const { return outside_.recorder(); }
  // The segment if it was used lately and can be used this instant, else null.
  POLDER_ALWAYS_INLINE const PeerSegment* recent(Rank rank, SegmentId id) const {
    const PeerSegment* segment = peer_segments_.recent(rank, id);
    return segment != nullptr && !progress_.attention() ? segment : nullptr;
  }

  // ---- ports, for the façade above ----
  util::Clock clock() const { return progress_.clock(); }
  Rank rank() const { return outside_.rank(); }
  Rank size() const { return outside_.size(); }
  Outside& outside() { return outside_; }
  const Outside& outside() const { return outside_; }
  Progress& progress() { return progress_; }
  Continuations& continuations() { return continuations_; }
  Peers& peers() { return peers_; }
  Messaging& messaging() { return messaging_; }
  Requests& requests() { return requests_; }
  PeerSegments& peer_segments() { return peer_segments_; }
  Segments& segments() { return segments_; }
  OneSided& one_sided() { return one_sided_; }
  const OneSided& one_sided() const { return one_sided_; }
  RemoteEnd& remote_end() { return remote_end_; }
  GroupTable& groups() { return groups_; }
  Group& world() { return *world_; }

  // Why waiting for a change in an own segment is in vain: it was deleted, nobody is left who could bring it about, or
  // one of those is gone whom the caller watches.
  Status trouble_of_waiting(const PeerSegment& segment, SegmentId id, const Watch& watch);
  // "for " and what is waited for, and whom the caller watches, for those who look from outside.
  static void describe_wait(bootstrap::LongWait& wait, const std::string& what, const Watch& watch);

  // Leaves the job in good order: waits until what was posted has arrived and what was shown in collectives has been
  // read, five seconds at most for each, and says goodbye. The second time it does nothing.
  void leave();
  // The same, and every call from now on returns `closed`, also those that are under way. Nothing is freed.
  void retire();

 private:
  Engine(EngineParts parts, const RuntimeOptions& options);
  Status open();
  Status open_trace();
  Status publish_address();
  void await_readers();
  void announce_departure();
  Status make_world(const RuntimeOptions& options);

  // In order of construction: each knows those before it.
  Outside outside_;
  Progress progress_;
  Continuations continuations_;
  Peers peers_;
  Messaging messaging_;
  Requests requests_;
  DeathNews death_news_;
  Departures departures_;
  Doubts doubts_;
  RemoteEnd remote_end_;
  PeerSegments peer_segments_;
  Revocations revocations_;
  Segments segments_;
  Emulation emulation_;
  OneSidedServer server_;
  OneSided one_sided_;
  GroupTable groups_;
  std::unique_ptr<Group> world_;
  std::atomic<bool> left_{false};
};

}  // namespace polder::core
