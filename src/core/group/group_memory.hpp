// What a member of a group offers to the others, as the data of a segment.
#pragma once

#include "util/bell.hpp"
#include "util/platform.hpp"

#include <polder/group.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::core {

// The meeting point of all members, at the first of them. Both counters begin at its base, which no other group has that
// had or will have its memory in the same place: a member that comes late to a group whose first member has deleted it
// finds that out by the counter itself, and changes nothing.
struct CentralBarrier {
  alignas(util::kCacheLine) std::atomic<std::uint64_t> arrived;
  alignas(util::kCacheLine) std::atomic<std::uint64_t> released;
  util::Bell bell;
  // How members wait where many share a core; written by the one that releases, for the next barrier. Nonzero: for so
  // many more they sleep without a turn.
  std::atomic<std::uint32_t> sleep_for;
  // How many it were the last time; 1: many slept in the last one that had turns; 0: few did.
  std::atomic<std::uint32_t> slept_for;
};

// Notifications beside it: the flags of dissemination barriers, kRounds for each lane, and one that only rings.
struct GroupMemory {
  static constexpr unsigned kLanes = 2;  // a barrier and an allgather may be under way together
  static constexpr unsigned kRounds = 32;
  static constexpr NotificationId kWakeUp = kLanes * kRounds;
  static constexpr std::uint32_t kNotifications = kWakeUp + 1;

  // A contribution to an allgather, and which one it is: in the lower half its number, in the upper half what it is of (BoardCall).
  struct Board {
    alignas(util::kCacheLine) std::atomic<std::uint64_t> number;
    std::byte data[Group::kMaxGather];
  };

  void open_central(std::uint64_t nonce) {
    for (CentralBarrier& barrier : central) {
      barrier.arrived.store(central_base(nonce), std::memory_order_relaxed);
      barrier.released.store(central_base(nonce), std::memory_order_relaxed);
      barrier.sleep_for.store(0, std::memory_order_relaxed);
      barrier.slept_for.store(0, std::memory_order_relaxed);
    }
  }
  // Room for 2^40 arrivals above it.
  static std::uint64_t central_base(std::uint64_t nonce) { return nonce & ~((std::uint64_t{1} << 40) - 1); }

  CentralBarrier central[kLanes];
  Board board[2];                           // used in turn
  std::atomic<std::uint64_t> greetings[1];  // one for each member, to the end of the segment

  static std::size_t bytes(std::size_t members) { return sizeof(GroupMemory) + members * sizeof(std::uint64_t); }
  static std::uint64_t greeting_offset(Rank member) {
    return offsetof(GroupMemory, greetings) + member * sizeof(std::uint64_t);
  }
};

// Of the group in this place of the root's table.
SegmentId group_segment(std::uint32_t slot);

}  // namespace polder::core
