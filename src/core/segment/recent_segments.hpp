// The segments that this rank used last, each found with one load.
//
// A look-up through the tables takes ten loads, each waiting for the one before. Most of that hides behind other work,
// but a locked instruction waits for all of it: on a contended counter it was half the time of the call.
#pragma once

#include "core/segment/peer_segment.hpp"
#include "util/platform.hpp"

#include <polder/types.hpp>

#include <array>
#include <atomic>

namespace polder::core {

// Holds only segments that can be loaded and stored, flags and data: they say themselves whether they are alive, so a
// stale entry does no harm. Where it must not even be asked, because its memory goes, forget() comes first.
class RecentSegments {
 public:
  POLDER_ALWAYS_INLINE const PeerSegment* find(Rank rank, SegmentId id) const {
    const PeerSegment* segment = entry(rank, id).load(std::memory_order_acquire);
    return segment != nullptr && segment->rank == rank && segment->id == id ? segment : nullptr;
  }

  void remember(const PeerSegment& segment) { entry(segment.rank, segment.id).store(&segment); }

  void forget(Rank rank, SegmentId id) {
    if (find(rank, id) != nullptr) entry(rank, id).store(nullptr);
  }

  void forget(Rank rank) {
    for (auto& entry : entries_)
      if (const PeerSegment* segment = entry.load(); segment != nullptr && segment->rank == rank) entry.store(nullptr);
  }

 private:
  using Entry = std::atomic<const PeerSegment*>;
  static constexpr std::size_t kEntries = 128;

  // One segment at many ranks, and many segments at one rank, spread without collisions.
  static constexpr std::size_t place(Rank rank, SegmentId id) { return (rank + std::size_t{8} * id) % kEntries; }
  Entry& entry(Rank rank, SegmentId id) { return entries_[place(rank, id)]; }
  const Entry& entry(Rank rank, SegmentId id) const { return entries_[place(rank, id)]; }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace polder::core
