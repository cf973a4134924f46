// All other ranks as this one sees them: connecting on first use, finding their segments, and noticing who is gone.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "core/peer.hpp"
#include "core/recent_segments.hpp"
#include "device/device.hpp"
#include "util/platform.hpp"
#include "util/sparse_table.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
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

  // The segment without a look at its owner's table where that is not needed: it says itself whether it is alive, or it
  // is reached by messages that name it (as the caller knows by `named`, or the device can do nothing else). Then
  // `check(segment)` tells whether the call fits. What is known of a segment that is not mapped may be of one that has
  // been replaced since; so before an error is believed, the table is read.
  template <class Check>
  Result<const PeerSegment*> checked(Rank rank, SegmentId id, Timeout timeout, Check&& check, bool named = false) {
    const PeerSegment* known = find(rank, id);
    if (known != nullptr && (known->control != nullptr || named || !known->data_region.put_get)) {
      Status status = check(*known);
      if (status.ok()) return known;
      if (known->control != nullptr) return status;
    }
    auto segment = resolve(rank, id, timeout);
    if (!segment.ok()) return segment;
    if (Status status = check(**segment); !status.ok()) return status;
    return segment;
  }

  // The peer, connected.
  Result<Peer*> connect(Rank rank, Timeout timeout);

  // A peer that has been named before. REQUIRES: rank < size.
  Peer& at(Rank rank);

  // Reads the peer's table of groups.
  Result<GroupSummary> group_summary(Peer& peer, Timeout timeout);
  Result<GroupEntry> group_entry(Peer& peer, std::uint32_t index, Timeout timeout);

  // Success, or why no call of this runtime can go on.
  Status check_open();

  // Success, or peer_failed for the first of `ranks` that is gone.
  template <class Ranks>
  Status check_healthy(const Ranks& ranks) {
    if (Status status = check_open(); !status.ok()) return status;
    for (const Rank rank : ranks)
      if (health(rank) != Health::healthy) return gone(rank);
    return {};
  }

  // Success unless one of `ranks` can never join: a rank that has left may come back as long as its process runs.
  template <class Ranks>
  Status check_may_join(const Ranks& ranks) {
    if (Status status = check_open(); !status.ok()) return status;
    for (const Rank rank : ranks)
      if (const Health now = health(rank);
          now == Health::failed || (now == Health::finished && !engine_bootstrap().may_return(rank)))
        return gone(rank);
    return {};
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

  // From now on every call fails with `closed`.
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

 private:
  const PeerSegment* find_in_tables(Rank rank, SegmentId id) const;
  const bootstrap::Bootstrap& engine_bootstrap() const;
  bool is_lost(const Peer& peer) const;
  void mark_gone(Peer& peer);
  Status attach_root(Peer& peer, Timeout timeout);
  Result<SegmentEntry> segment_entry(Peer& peer, SegmentId id, Timeout timeout);
  template <class T>
  Result<T> read_published(Peer& peer, const Published<T>* direct, std::uint64_t offset, Timeout timeout);
  Result<const PeerSegment*> import(Peer& peer, SegmentId id, SegmentSlot& slot, const SegmentEntry& entry);

  Engine& engine_;
  const Rank size_;
  const std::atomic<std::uint32_t>& health_word_;
  std::atomic<std::uint32_t> seen_;
  std::atomic<bool> closed_{false};
  std::mutex refreshing_;
  util::SparseTable<Peer> table_;
  mutable RecentSegments recent_;
};

}  // namespace polder::core
