// Where letters of collectives lie in the memory of a group's member: the layout of what is behind the rest, for every
// slot of every lane a few cells that its writer fills in turn. Nothing grows with the number of members but by its
// logarithm; pages that no letter touches cost nothing.
//
// A cell is filled by one writer. Where the reader's memory is mapped the cell's head, what is short and the word that says that it
// is filled are in its envelope. Elsewhere the head is in the cell, and the writer raises the cell's flag behind it; there a piece of
// a long letter fills several cells of a half as if they were one, up to what a network sends in one frame, and raises the flag of
// the first; the reader takes those of the others down. When the reader has emptied one half of a slot's cells it raises the credit
// of that half, in the writer's memory: then that half may be filled again.
#pragma once

#include "core/group/slots.hpp"
#include "util/platform.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::core {

class LetterRoom {
 public:
  static constexpr unsigned kLanes = 4;  // collectives of a group that may be under way together
  static constexpr unsigned kCells = 8;  // of a slot
  static constexpr unsigned kSpan = 4;   // that one piece may fill: what a network sends in one frame
  static constexpr std::size_t kCell = std::size_t{30} << 10;  // bytes, with its head
  static constexpr unsigned kHalf = kCells / 2;
  // Slots that are no distance, for those of neighbours that have none: which member writes there is settled between the two
  // (coll/drive/edge_slots.hpp). Groups in which every distance has a slot have none of these.
  static constexpr Slot kEdges = 64;
  static constexpr std::size_t kEnvelope = 128;  // bytes, of each cell
  static constexpr std::size_t kRecord = 64;   // bytes in which a member says which collective it is in, for each lane,
  static constexpr std::size_t kProcess = 64;  // and behind these how others read its private memory

  LetterRoom() = default;
  // Behind `begin` bytes and `flags` notifications of others. `leaders`: how many nodes there are; if more than one,
  // the first members of nodes have slots of their own among themselves.
  LetterRoom(Rank members, Rank leaders, std::size_t begin, std::uint32_t flags)
      : edges_(members > Slots::kNear + 1 ? kEdges : 0),
        all_(Slots(members).count() + edges_),
        leading_(leaders > 1 && leaders < members ? Slots(leaders).count() : 0),
        begin_(util::round_up(begin, util::kPage)),
        flags_(flags) {}

  static_assert(kLanes * kRecord + kProcess <= util::kPage);

  // All that is in front of it included.
  std::size_t bytes() const { return cell(kLanes, 0, 0); }
  std::uint32_t notifications() const { return NotificationId(flag(kLanes, 0, 0)); }

  // Of a lane: its slots of all members come first, distances and then edges, then those of leaders.
  Slot slots() const { return all_ + leading_; }
  Slot first_leading() const { return all_; }
  Slot edges() const { return edges_; }
  Slot first_edge() const { return all_ - edges_; }

  std::uint64_t record(unsigned lane) const { return begin_ + lane * kRecord; }
  std::uint64_t process() const { return record(kLanes); }
  std::uint64_t envelope(unsigned lane, Slot slot, unsigned cell) const {
    return begin_ + util::kPage + place(lane, slot, cell) * kEnvelope;
  }
  std::uint64_t cell(unsigned lane, Slot slot, unsigned cell) const {
    return util::round_up(envelope(kLanes, 0, 0), util::kPage) + place(lane, slot, cell) * kCell;
  }
  NotificationId letter_flag(unsigned lane, Slot slot, unsigned cell) const { return flag(lane, slot, cell); }
  NotificationId credit_flag(unsigned lane, Slot slot, unsigned half) const { return flag(lane, slot, kCells + half); }

 private:
  std::uint64_t place(unsigned lane, Slot slot, unsigned cell) const {
    return (std::uint64_t{lane} * slots() + slot) * kCells + cell;
  }
  NotificationId flag(unsigned lane, Slot slot, unsigned index) const {
    return NotificationId(flags_ + (lane * slots() + slot) * (kCells + 2) + index);
  }

  Slot edges_ = 0, all_ = 0, leading_ = 0;
  std::size_t begin_ = 0;
  std::uint32_t flags_ = 0;
};

}  // namespace polder::core
