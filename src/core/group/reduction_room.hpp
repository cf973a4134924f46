// Where the nodes of a group reduce vectors: the layout of what lies behind GroupMemory at each member, if the group
// spans nodes. Pages that no reduction touches cost nothing.
#pragma once

#include "core/group/group_memory.hpp"
#include "util/bell.hpp"
#include "util/platform.hpp"

#include <polder/types.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace polder::core {

// Where the members of a node meet, at their leader.
struct NodeMeeting {
  alignas(util::kCacheLine) std::atomic<std::uint64_t> shown;      // vectors on desks, of all members and all times
  alignas(util::kCacheLine) std::atomic<std::uint64_t> folded;     // slices, likewise
  alignas(util::kCacheLine) std::atomic<std::uint64_t> published;  // the number of the latest result
  struct Result {
    std::uint64_t offset;  // from the start of the leader's data
    std::uint32_t code;    // not 0: there is none
    char reason[116];      // why, with an end
  } result[2];
  std::atomic<std::uint32_t> failure[2];  // by parity: of a member's folding, or 0
  util::Bell bell;                        // for all but the leader
};

// Two of everything, for reductions with even and odd numbers: who takes part in number n + 2 has seen the end of
// n + 1, to which everybody has contributed who had left n behind.
class ReductionRoom {
 public:
  // Of a vector, at a time: long against the flags that go with it, and short against the second-level cache.
  static constexpr std::size_t kChunk = std::size_t{128} << 10;
  // Larger elements do not go in slices, so that a slice is not much more than its share of a chunk.
  static constexpr std::size_t kLargestSliced = 256;
  // Largest of those that go between leaders at all, bytes.
  static constexpr std::size_t kLargestElement = 4096;

  ReductionRoom() = default;
  ReductionRoom(std::size_t members, std::size_t leaders)
      : begin_(padded(GroupMemory::bytes(members))),
        leaders_(leaders),
        incoming_(std::max({leaders * few_slot(), leaders * slice_slot(), steps() * doubling_slot()})),
        results_(std::max(kChunk, steps() * doubling_slot())) {}

  // The size of the segment's data.
  std::size_t bytes_of_leader() const { return result(2); }

  std::size_t meeting() const { return begin_; }
  std::size_t desk(std::size_t parity) const { return begin_ + padded(sizeof(NodeMeeting)) + parity * kChunk; }
  // At leaders: the vector of the node, what others send, and what becomes of both.
  std::size_t own(std::size_t parity) const { return desk(2) + parity * kChunk; }
  std::size_t incoming(std::size_t parity) const { return own(2) + parity * incoming_; }
  std::size_t result(std::size_t parity) const { return incoming(2) + parity * results_; }

  // Vectors up to this are not cut into slices.
  std::size_t longest_whole() const { return leaders_ == 2 ? kChunk : few() ? kFew : kMany; }
  // Elements of a vector of `count` that are reduced at a time.
  std::size_t piece_of(std::size_t count, std::size_t element_size) const {
    return std::min(count, (element_size <= kLargestSliced ? kChunk : longest_whole()) / element_size);
  }
  bool few() const { return leaders_ <= 8; }
  std::size_t few_slot() const { return few() ? longest_whole() : 0; }
  std::size_t slice_slot() const { return padded(kChunk / leaders_ + kLargestSliced); }
  std::size_t doubling_slot() const { return few() ? 0 : kMany; }
  // Of recursive doubling: its rounds, and one before and after for those beyond a power of two.
  std::size_t steps() const { return std::size_t(std::bit_width(leaders_)) + 1; }

  // Flags of a leader, by parity: of each place, when its vector or slice has come; when its part of the result has
  // come; and of each step of a doubling.
  std::uint32_t notifications() const { return flag(2, 0); }
  NotificationId first_flag(std::size_t parity, std::size_t place) const { return flag(parity, place); }
  NotificationId second_flag(std::size_t parity, std::size_t place) const { return flag(parity, leaders_ + place); }
  NotificationId step_flag(std::size_t parity, std::size_t step) const { return flag(parity, 2 * leaders_ + step); }

 private:
  static constexpr std::size_t kFew = 4096, kMany = 16384;

  static std::size_t padded(std::size_t bytes) {
    return (bytes + util::kCacheLine - 1) / util::kCacheLine * util::kCacheLine;
  }
  NotificationId flag(std::size_t parity, std::size_t index) const {
    return NotificationId(GroupMemory::kNotifications + parity * (2 * leaders_ + steps()) + index);
  }

  std::size_t begin_ = 0;
  std::size_t leaders_ = 2;
  std::size_t incoming_ = 0;
  std::size_t results_ = 0;
};

}  // namespace polder::core
