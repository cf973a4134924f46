// Where members of a group that load and store each other's memory do collectives: the layout of what lies behind the
// letters, if any node has several. Of each lane a member has its lines and desks, and the crossings of a tree
// whose left branch begins with it. Pages that no collective touches cost nothing.
//
// Collectives of a lane are cut into pieces, numbered from 1, the same at all members, which use lines, desks and crossings
// in turn. Of lines there are many, so that who needs nobody goes on by dozens of short calls while others have no core;
// of desks few, so that they stay in the cache.
#pragma once

#include "core/peers/published.hpp"
#include "util/platform.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::core {

// What a member shows of a piece, with its number behind the rest.
struct NodeLine {
  static constexpr std::size_t kContent = 48;  // bytes

  alignas(util::kCacheLine) std::atomic<std::uint64_t> number;
  std::atomic<std::uint32_t> print;  // of the call, to be compared
  std::uint32_t what;                // says what the content is
  std::byte content[kContent];
};
static_assert(sizeof(NodeLine) == util::kCacheLine);

// Where two branches of a tree meet: the first to arrive leaves, the second goes on for both.
struct NodeCrossing {
  alignas(util::kCacheLine) std::atomic<std::uint64_t> arrivals;
};

// Why combining failed at a member, in which call.
struct NodeReason {
  std::uint64_t number = 0;
  char text[120] = {};  // with an end
};

struct NodeMemory {
  static constexpr unsigned kLevels = 20, kLines = 128, kDesks = 4;

  NodeLine line[kLines];
  alignas(util::kCacheLine) std::atomic<std::uint64_t> left;  // the last piece that this member is through with
  std::array<NodeCrossing, kLevels> crossing[kDesks];
  alignas(util::kCacheLine) Published<NodeReason> reason;
  // A call that this member gave up: what it offered in it belongs to somebody else again. Raised, then looked at
  // `reaching` of all; a member that copies from or to an offer does it the other way round.
  alignas(util::kCacheLine) std::atomic<std::uint64_t> withdrawn;
  alignas(util::kCacheLine) std::atomic<std::uint64_t> reaching;  // 1: this member copies from or to an offer
  // Of all, at the first member of the node.
  alignas(util::kCacheLine) std::atomic<std::uint64_t> arrived;    // members, of all times
  alignas(util::kCacheLine) std::atomic<std::uint64_t> published;  // the last piece whose result is there
  alignas(util::kCacheLine) std::atomic<std::uint64_t> claimed;    // slices
  alignas(util::kCacheLine) std::atomic<std::uint64_t> done;       // likewise
  // A call, a member that failed in it, and a Code; calls use them in turn. A member that fails is as many calls ahead of those
  // who are to hear of it as there are lines, and would overwrite a single word.
  alignas(util::kCacheLine) std::atomic<std::uint64_t> failure[kLines];
};

class NodeRoom {
 public:
  static constexpr std::size_t kDesk = std::size_t{64} << 10;  // bytes: stays in the second-level cache

  NodeRoom() = default;
  // Behind `begin` bytes. `used`: some members are beside others.
  NodeRoom(bool used, std::size_t begin, unsigned lanes)
      : used_(used), begin_(util::round_up(begin, util::kPage)), lanes_(lanes) {}

  bool used() const { return used_; }
  // All that is in front of it included.
  std::size_t bytes() const { return used_ ? memory(lanes_) : begin_; }
  std::uint64_t memory(unsigned lane) const { return begin_ + lane * (kHead + NodeMemory::kDesks * kDesk); }
  std::uint64_t desk(unsigned lane, std::uint64_t piece) const {
    return memory(lane) + kHead + piece % NodeMemory::kDesks * kDesk;
  }

 private:
  static constexpr std::size_t kHead = util::round_up(sizeof(NodeMemory), util::kPage);

  bool used_ = false;
  std::size_t begin_ = 0;
  unsigned lanes_ = 0;
};

}  // namespace polder::core
