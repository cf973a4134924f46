// Segments of peers as this rank reaches them.
#pragma once

#include "core/segment/segment_layout.hpp"
#include "device/region.hpp"
#include "util/assert.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <bit>
#include <cstdint>

namespace polder::core {

// A segment of some rank as this rank reaches it. Never changes once it is published, but for its end.
struct PeerSegment {
  Rank rank = 0;  // of the owner
  SegmentId id = 0;
  std::uint64_t generation = 0;
  std::uint64_t size = 0;
  std::uint32_t notifications = 0;
  std::uint32_t misalignment = 0;  // bytes by which the user's memory misses a multiple of 16

  std::byte* data = nullptr;          // not null: load and store here
  SegmentControl* control = nullptr;  // not null: likewise

  device::Region data_region;     // for the device, where `data` or `control` is null
  std::uint64_t data_offset = 0;  // of the data in data_region
  device::Region control_region;

  bool contains(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
  // REQUIRES: `alignment` is a power of two.
  bool aligned(std::uint64_t offset, std::size_t alignment) const {
    POLDER_ASSERT(std::has_single_bit(alignment));
    return ((offset + misalignment) & (alignment - 1)) == 0;
  }
  // Where it is mapped its owner says so itself; else the owner revokes it, see docs/design/memory.md.
  // Addresses and descriptors are used again, so "something lives there" would not do: it must be this very segment.
  bool live() const {
    return control == nullptr ? !revoked.load(std::memory_order_acquire) : control->holds(generation);
  }

  // Around each operation of the device, and in own segments around each wait for what changes there: while a segment is
  // in use its owner, who waits for our answer, keeps the memory. False: it was revoked.
  bool enter() const {
    // Raised, then looked; the owner's revocation sets, then counts. In any other order, or with less than seq_cst, both
    // may miss each other.
    users.fetch_add(1, std::memory_order_seq_cst);
    if (!revoked.load(std::memory_order_seq_cst)) return true;
    users.fetch_sub(1, std::memory_order_acq_rel);
    return false;
  }
  // True for the last one to leave a segment that was revoked: then the owner can be answered.
  bool leave() const {
    const std::int64_t before = users.fetch_sub(1, std::memory_order_seq_cst);
    POLDER_ASSERT(before > 0);
    return before == 1 && revoked.load(std::memory_order_seq_cst);
  }

  mutable std::atomic<bool> revoked{false};
  mutable std::atomic<std::int64_t> users{0};
};

}  // namespace polder::core
