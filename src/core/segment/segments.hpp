// The segments that this rank offers, and the root memory in which peers find them.
#pragma once

#include "core/peers/root_layout.hpp"
#include "core/progress/duty.hpp"
#include "core/segment/withdrawal.hpp"
#include "device/device.hpp"
#include "util/mutex.hpp"

#include <polder/segment.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace polder::core {

class Continuations;
class Messaging;
class PeerSegments;
struct Outside;
struct Request;

class Segments final : public Duty {
 public:
  // What it is built from.
  struct Ports {
    Outside& outside;
    Progress& progress;
    Peers& peers;
    Messaging& messaging;
    Requests& requests;
    PeerSegments& all;  // those of this rank among them
    Continuations& continuations;
  };
  Segments(const Ports& ports, std::size_t limit);

  // Exposes the root. Once, before anything else.
  Status open(std::uint64_t job);
  // Conceals everything.
  void close();

  Result<Segment> create(const SegmentSpec& spec);
  // For groups, whose ids lie beyond the user's.
  Result<Segment> create_internal(SegmentId id, const SegmentSpec& spec);
  // From the first instant on nobody finds the segment any more; then waits until no peer uses it, and no wait of this
  // rank for what changes there. timeout: some do, or have not said that they do not; the memory is kept until then,
  // and until all peers have answered no new segment is given that id by itself.
  Status remove(SegmentId id, Timeout timeout);
  // Without waiting.
  Status remove_internal(SegmentId id);
  // For collective allocations, whose members agree on an automatic id. exists: it is taken here.
  Result<Segment> create_at(SegmentId id, const SegmentSpec& spec);
  // The lowest automatic id that is free and not below `from`; Root::kFirstGroupSegment if there is none.
  SegmentId free_id(SegmentId from) const;
  Result<Segment> find(SegmentId id) const;
  std::vector<SegmentId> ids() const;
  // Where these bytes lie, if in a segment whose memory Polder has allocated.
  std::optional<GlobalAddress> holding(const void* memory, std::size_t bytes) const;

  // As the device knows the memory that Polder allocated for a segment; nothing, if there is none. What OneSided::put_in_window() puts to
  // it lands in the windows of this exposure.
  device::Exposure exposure_of(SegmentId id) const;

  // Goes on with segments whose end peers must be told of.
  int attend() override { return settle(); }

  // Held by whoever works on this rank's memory for a peer: what is deleted meanwhile is given back afterwards.
  [[nodiscard]] std::unique_lock<util::Mutex> hold_memory() { return std::unique_lock(in_use_); }

  Root& root() { return *reinterpret_cast<Root*>(root_.data); }
  const device::Exposure& root_exposure() const { return root_; }

 private:
  int settle();
  void answer(const Request& request);
  bool admit(Rank peer, SegmentId id, SegmentEntry& entry);
  std::size_t ids_in_use() const;
  Status check_limit() const;
  SegmentId next_free(SegmentId from) const;
  Result<Segment> add(SegmentId id, const SegmentSpec& spec);
  Result<SegmentId> choose_id(const SegmentSpec& spec) const;
  Result<LocalSegment> expose(const SegmentSpec& spec, SegmentId id);
  Result<LocalSegment> expose_untraced(const SegmentSpec& spec, SegmentId id);
  Status remove_untraced(SegmentId id, Timeout timeout);
  void announce(LocalSegment& local, std::uint64_t generation);
  Result<std::shared_ptr<Withdrawal>> withdraw(SegmentId id);
  bool may_not_wait(const Withdrawal& withdrawal) const;
  void hide(const LocalSegment& local);
  void conceal(const LocalSegment& local);

  const Ports ports_;
  const std::size_t limit_;
  util::Mutex in_use_;
  device::Exposure root_;
  mutable util::Mutex mutex_;
  std::uint64_t generations_ = 0;
  std::map<SegmentId, LocalSegment> segments_;
  std::vector<std::shared_ptr<Withdrawal>> leaving_;
  std::atomic<std::size_t> leaving_count_{0};
};

}  // namespace polder::core
