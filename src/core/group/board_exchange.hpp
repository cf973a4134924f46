// Everybody shows something small to everybody, over memory that all members load and store: each writes it on a board
// of its own with a number behind it, and reads the boards of the others when they bear that number.
//
// One step, in which every member reads P - 1 boards; up to 56 bytes lie in one cache line with their number, so that
// nothing is fetched twice. There is no barrier: who shows its next piece has seen the last one of every member, and
// two boards in turn keep the one before readable until then.
#pragma once

#include "bootstrap/standing.hpp"
#include "core/group/board_call.hpp"
#include "core/group/group_memory.hpp"
#include "core/group/group_ports.hpp"
#include "core/segment/peer_segment.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::core {

// Not thread safe: one thread at a time, as its group sees to it.
class BoardExchange {
 public:
  // `memories`: of all members in order, with `data` and `control` to load and store. All must outlive this.
  void set_up(const GroupPorts& ports, std::span<const Rank> ranks, Rank index,
              std::vector<const PeerSegment*> memories);
  bool is_set_up() const { return ports_ != nullptr; }

  // `all` receives `mine` of each member in order. Code::timeout: call again with the same arguments to go on. What a member is in that
  // made another call ends it, and all that follow.
  Status run(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call, Timeout timeout);

 private:
  void show(std::span<const std::byte> mine, const BoardCall& call);
  bool is_there(const GroupMemory::Board& board) const {  // numbers begin again from 0 after 2^32
    return std::int32_t(std::uint32_t(board.number.load(std::memory_order_acquire)) - sequence_) >= 0;
  }
  bool is_near(const GroupMemory::Board& board) const;
  Status await(const GroupMemory::Board& board, Timeout timeout);
  Status trouble() const;
  void describe(bootstrap::LongWait& wait) const;
  GroupMemory::Board& board(Rank member) const {
    return reinterpret_cast<GroupMemory*>(memories_[member]->data)->board[sequence_ & 1];
  }

  const GroupPorts* ports_ = nullptr;
  std::span<const Rank> ranks_;
  Rank index_ = 0;
  std::vector<const PeerSegment*> memories_;
  std::uint32_t sequence_ = 0;  // of the piece that was shown last
  bool under_way_ = false;
  Rank collected_ = 0;  // members whose board has been read
};

}  // namespace polder::core
