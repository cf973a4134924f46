// All other ranks as this one sees them: connecting on first use, finding their segments, and noticing who is gone.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "core/peers/peer.hpp"
#include "core/segment/recent_segments.hpp"
#include "device/device.hpp"
#include "util/deadline.hpp"
#include "util/platform.hpp"
#include "util/sparse_table.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace polder::core {

class Engine;

class Peers {
 public:
  explicit Peers(Engine& engine);

  // The segment if it was used lately and can be used this instant, else null. The fast path of every operation: it
  // calls nothing.
  POLDER_ALWAYS_INLINE const PeerSegment* recent(Rank rank, SegmentId id) const {
    const PeerSegment* segment = recent_.find(rank, id);
    return segment != nullptr && segment->control->holds(segment->generation) && !attention() ? segment : nullptr;
  }

  // The segment if it can be used this instant, else null: then resolve() finds out why.
  const PeerSegment* find(Rank rank, SegmentId id) const {
    const PeerSegment* segment = recent(rank, id);
    return segment != nullptr ? segment : find_in_tables(rank, id);
  }

  // The segment of this rank is about to go.
  void forget_own(SegmentId id);

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

  // The owner ends its segment of this generation. True if no operation of this rank uses it any more; else `in_use` is
  // the segment, whose last user wakes the device.
  bool revoke(Rank owner, SegmentId id, std::uint64_t generation, const PeerSegment*& in_use);

  // The peer, connected.
  Result<Peer*> connect(Rank rank, Timeout timeout);

  // A peer that has been named before. REQUIRES: rank < size.
  Peer& at(Rank rank);

  // The peer if it has been named before, else null. REQUIRES: rank < size.
  Peer* met(Rank rank) const { return table_.find(rank); }

  template <class Visit>
  void for_each_met(Visit&& visit) {
    table_.for_each([&](std::size_t, Peer& peer) { visit(peer); });
  }

  // Success, or why no call of this runtime can go on.
  Status check_open();

  // Success, or peer_failed for one of `ranks` that is gone.
  template <class Ranks>
  Status check_healthy(const Ranks& ranks) {
    return check_none(ranks, [this](Rank rank) { return health(rank) != Health::healthy; });
  }

  // Success unless one of `ranks` can never join: a rank that has left an older runtime may come back as long as its
  // process runs.
  template <class Ranks>
  Status check_may_join(const Ranks& ranks) {
    return check_none(ranks, [this](Rank rank) { return is_gone(rank); });
  }

  // Success, or why a wait is in vain for a caller that watches these.
  Status check_watched(const Watch& watch) const;

  // It does nothing any more in this runtime. One that has finished and was never met may be about to join it: it left
  // an older one.
  bool is_gone(Rank rank) const;
  bool any_left() const;  // of the others, who could still do something

  // Grows with what this rank learns of states: of the whole node, and by its own links.
  std::uint64_t changes() const {
    return health_word_.load(std::memory_order_acquire) + own_changes_.load(std::memory_order_acquire);
  }

  Health health(Rank rank) const;
  Status gone(Rank rank) const;  // peer_failed with a sentence

  // True if something happened since refresh(): some rank's health changed, or this runtime was closed. One load,
  // mostly.
  bool attention() const {
    return health_word_.load(std::memory_order_relaxed) != seen_.load(std::memory_order_relaxed);
  }
  void refresh();

  // The link to `rank` is broken.
  void link_failed(Rank rank, const Status& why);

  // The runtime of a rank of another node has ended in good order: what it has not answered it never will. It may come
  // back with a newer one.
  void has_left(Rank rank);

  // A copy of what the peer has published in its root. timeout: a writer was at work all the time.
  template <class T>
  Result<T> read_published(Peer& peer, const Published<T>& published, Timeout timeout) {
    const util::Deadline deadline(timeout);
    T value;
    while (!published.read(value)) {
      if (peer.failed.load() || attention()) {
        refresh();
        if (peer.failed.load()) return gone(peer.rank);  // it died while it wrote
      }
      if (deadline.passed()) return Code::timeout;
      util::cpu_relax();
    }
    return value;
  }

  // The others have given this rank up: it calls all of them failed, as they call it.
  void be_alone();
  bool alone() const { return alone_.load(std::memory_order_acquire); }

  // From now on every call fails with `closed`.
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

 private:
  const PeerSegment* find_in_tables(Rank rank, SegmentId id) const;
  // Names one that died before those that left: they mostly left because of it.
  template <class Ranks, class Lost>
  Status check_none(const Ranks& ranks, Lost&& lost) {
    if (Status status = check_open(); !status.ok()) return status;
    const Rank* left = nullptr;
    for (const Rank& rank : ranks) {
      if (!lost(rank)) continue;
      if (health(rank) == Health::failed) return gone(rank);
      if (left == nullptr) left = &rank;
    }
    return left == nullptr ? Status() : gone(*left);
  }

  bool is_lost(const Peer& peer) const;
  void mark_gone(Peer& peer);
  Status take_turn(Peer& peer, std::unique_lock<std::mutex>& lock, Timeout timeout);
  void note_connected(Peer& peer);
  Status attach_root(Peer& peer, Timeout timeout);
  Result<const PeerSegment*> resolve_own(SegmentId id);
  SegmentSlot& slot_of(Peer& peer, SegmentId id);
  Result<const PeerSegment*> look_up(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout);
  Result<const PeerSegment*> inquire(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout);
  Status join_question(Peer& peer, SegmentSlot& slot, SegmentId id, std::shared_ptr<Question>& question, bool& ours);
  Result<const PeerSegment*> take_answer(Peer& peer, SegmentSlot& slot, SegmentId id, Question& question);
  Result<const PeerSegment*> import(Peer& peer, SegmentId id, SegmentSlot& slot, const SegmentEntry& entry);

  Engine& engine_;
  const Rank size_;
  const std::atomic<std::uint32_t>& health_word_;
  std::atomic<std::uint32_t> seen_;
  std::atomic<std::uint64_t> own_changes_{0};  // of states that only this rank knows: its links'
  std::atomic<bool> closed_{false};
  std::atomic<bool> alone_{false};
  std::mutex refreshing_;
  util::SparseTable<Peer> table_;
  mutable RecentSegments recent_;
};

}  // namespace polder::core
