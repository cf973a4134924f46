// The memory by which a rank is found: a table of its segments and of its groups, read one-sided by its peers.
//
// Writers store word by word and put a checksum beside; readers copy and check, and read again if they met a writer at
// work. So a look-up needs no help of the owner and no lock, on any device.
#pragma once

#include "core/peers/published.hpp"
#include "device/region.hpp"

#include <polder/types.hpp>

#include <cstdint>

namespace polder::core {

// A segment as its owner announces it.
struct SegmentEntry {
  std::uint64_t generation = 0;   // 0: there is none. Grows with every segment of the rank, so a re-used id is noticed
  std::uint64_t size = 0;         // of the data
  std::uint64_t data_offset = 0;  // of the data in the memory behind data_key
  std::uint32_t notifications = 0;
  std::uint16_t data_is_control = 0;  // 1: one memory holds both; data_key stands for it
  std::uint16_t misalignment = 0;     // of the data's address, in bytes beyond a multiple of 16
  device::Key control_key;
  device::Key data_key;
};

// A group that its owner has begun to commit. `nonce` differs between any two commits.
struct GroupEntry {
  std::uint64_t tag = 0;  // of the ranks in it; 0: none
  std::uint64_t nonce = 0;
  std::uint64_t committed = 0;  // 1: its owner has been through the commit
  // What the last group of the same tag was called by its members, if they ever agreed on something and the owner has
  // deleted it: a member that is still in it tells by this that this group is another one. 0: there was none.
  std::uint64_t before = 0;
};

inline constexpr std::uint32_t kMostGroups = 1024;  // of a rank at a time

// How many entries of the table of groups have ever been used: a search need not go further.
struct GroupSummary {
  std::uint64_t used = 0;

  // As another rank says it: no more than there are.
  std::uint32_t entries() const { return std::uint32_t(used < kMostGroups ? used : kMostGroups); }
};

struct Root {
  static constexpr std::uint64_t kMagic = 0x706f6c64657202;
  static constexpr std::uint32_t kGroups = kMostGroups;
  // Groups keep their flags in segments of the last ids, entry i of `groups` in segment kFirstGroupSegment + i.
  static constexpr SegmentId kFirstGroupSegment = kSegmentIdLimit - kGroups;

  std::uint64_t magic;
  std::uint64_t job;
  Published<GroupSummary> group_summary;
  Published<GroupEntry> groups[kGroups];
  Published<SegmentEntry> segments[kSegmentIdLimit];  // sparse: pages without segments cost nothing
};

}  // namespace polder::core
