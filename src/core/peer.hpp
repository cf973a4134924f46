// What this rank knows of another: how to reach it, and the segments of it that have been used so far.
#pragma once

#include "core/hazards.hpp"
#include "core/outstanding.hpp"
#include "core/root_layout.hpp"
#include "core/segment_layout.hpp"
#include "device/region.hpp"
#include "util/sparse_table.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace polder::core {

// A segment of some rank as this rank reaches it. Never changes once it is published.
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
    return ((offset + misalignment) & (alignment - 1)) == 0;
  }
  // Where the owner says so itself; on a network only the next look at its table will tell.
  // Addresses and descriptors are used again, so "something lives there" would not do: it must be this very segment.
  bool live() const { return control == nullptr || control->holds(generation); }
};

// The place of a segment id. What was there before stays allocated (a hundred bytes each): readers take no lock.
struct SegmentSlot {
  std::atomic<const PeerSegment*> current{nullptr};
  std::mutex changing;
  std::vector<std::unique_ptr<PeerSegment>> versions;
  Hazards hazards;  // what this rank has under way there

  void publish(std::unique_ptr<PeerSegment> segment) {
    current.store(segment.get(), std::memory_order_release);
    versions.push_back(std::move(segment));
  }
};

struct Peer {
  explicit Peer(Rank r) : rank(r), segments(kSegmentIdLimit) {}

  const Rank rank;
  std::atomic<bool> failed{false};  // or finished: it answers no more
  util::SparseTable<SegmentSlot> segments;
  Outstanding operations;        // through the device, by messages or not
  Outstanding local_operations;  // those whose local memory is in use

  std::mutex connecting;
  std::atomic<bool> connected{false};
  device::Region root_region;  // valid once connected
  const Root* root = nullptr;  // not null: load here
};

}  // namespace polder::core
