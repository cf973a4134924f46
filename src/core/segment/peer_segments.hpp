// The segments of all ranks, as this one finds and reaches them.
#pragma once

#include "core/peers/peer_watcher.hpp"
#include "core/segment/peer_segment.hpp"
#include "core/segment/recent_segments.hpp"
#include "util/platform.hpp"
#include "util/sparse_table.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <memory>

namespace polder::core {

class Peers;
class Progress;
class Question;
class Requests;
struct Hazards;
struct Outside;
struct Peer;
struct SegmentEntry;
struct SegmentSlot;

class PeerSegments final : public PeerWatcher {
 public:
  PeerSegments(Outside& outside, Progress& progress, Peers& peers, Requests& requests);
  ~PeerSegments();

  // The segment if it was used lately and is alive, else null. The fast path of every operation: it calls nothing. The
  // caller looks at Progress::attention() as well before it goes there.
  POLDER_ALWAYS_INLINE const PeerSegment* recent(Rank rank, SegmentId id) const {
    const PeerSegment* segment = recent_.find(rank, id);
    return segment != nullptr && segment->control->holds(segment->generation) ? segment : nullptr;
  }

  // The segment if it can be used this instant, else null: then resolve() finds out why.
  const PeerSegment* find(Rank rank, SegmentId id) const;

  // A segment of this rank for somebody who waits for what changes there: entered, so that its memory stays whoever deletes
  // it. The first is the fast path, null where it does not know. See SegmentUse, which leaves it.
  POLDER_ALWAYS_INLINE const PeerSegment* enter_recent_own(SegmentId id) const {
    const PeerSegment* segment = recent_.find(own_rank_, id);
    return segment != nullptr && segment->enter() ? segment : nullptr;
  }
  Result<const PeerSegment*> enter_own(SegmentId id);

  // Connects, looks the segment up at its owner and imports it, as far as that is not done yet.
  Result<const PeerSegment*> resolve(Rank rank, SegmentId id, Timeout timeout);

  // The segment, if `check(segment)` finds that the call fits it.
  template <class Check>
  Result<const PeerSegment*> checked(Rank rank, SegmentId id, Timeout timeout, Check&& check) {
    const PeerSegment* segment = find(rank, id);
    if (segment == nullptr) [[unlikely]] {
      auto resolved = resolve(rank, id, timeout);
      if (!resolved.ok()) return resolved;
      segment = *resolved;
    }
    if (Status status = check(*segment); !status.ok()) return status;
    return segment;
  }

  // What is under way to a segment of a peer.
  Hazards& hazards_of(Rank rank, SegmentId id);

  // ---- for those who end segments ----
  // A segment of this rank has come, or is about to go.
  void add_own(std::unique_ptr<PeerSegment> segment);
  void forget_own(SegmentId id);

  // The owner ends its segment of this generation. True if no operation of this rank uses it any more; else `in_use` is
  // the segment, whose last user wakes the device.
  bool revoke(Rank owner, SegmentId id, std::uint64_t generation, const PeerSegment*& in_use);

  void is_gone(Peer& peer) override;

 private:
  using Slots = util::SparseTable<SegmentSlot>;

  const PeerSegment* find_in_tables(Rank rank, SegmentId id) const;
  SegmentSlot* slot_if_any(Rank rank, SegmentId id) const;
  SegmentSlot& slot_of(Rank rank, SegmentId id);
  Result<const PeerSegment*> resolve_own(SegmentId id);
  Result<const PeerSegment*> look_up(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout);
  Result<const PeerSegment*> inquire(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout);
  Status join_question(Peer& peer, SegmentSlot& slot, SegmentId id, std::shared_ptr<Question>& question, bool& ours);
  Status ask(Peer& peer, SegmentId id, Question& question);
  Result<const PeerSegment*> take_answer(Peer& peer, SegmentSlot& slot, SegmentId id, Question& question);
  Result<const PeerSegment*> import(Peer& peer, SegmentId id, SegmentSlot& slot, const SegmentEntry& entry);

  Outside& outside_;
  Progress& progress_;
  Peers& peers_;
  Requests& requests_;
  const Rank own_rank_;
  const Rank size_;
  util::SparseTable<Slots> table_;  // by rank
  mutable RecentSegments recent_;
};

}  // namespace polder::core
