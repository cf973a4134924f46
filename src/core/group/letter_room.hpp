// Where letters of collectives lie in the memory of a group's member: the layout of what is behind the rest, for every
// slot of every lane a few cells that its writer fills in turn. Nothing grows with the number of members but by its
// logarithm; pages that no letter touches cost nothing.
//
// A cell is filled by one writer. Where the reader's memory is mapped the cell's head, what is short and the word that says that it
// is filled are in its envelope. Elsewhere the head is in the cell, and the writer raises the cell's flag behind it; what is short goes to a short cell instead, as
// these lie side by side, and cells a page and more apart. A piece of a long
// letter fills several cells of a half as if they were one, elsewhere up to what a network sends in one frame, and only the first
// says so; the reader takes down what the others said. So cells are small, and there are many of them: letters of a few bytes that go
// one way, of scans for one, go on by dozens while their reader has no core (scans of 8 bytes by 8 ranks on two cores between hosts
// take 0.4 to 0.7 of the time with 32 cells instead of 8). When the reader has emptied one half of a slot's cells it raises the credit
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
  static constexpr unsigned kLanes = 4;        // collectives of a group that may be under way together
  static constexpr unsigned kCells = 32;       // of a slot
  static constexpr unsigned kSpan = 16;        // that one piece may fill: what a network sends in one frame
  static constexpr unsigned kMappedSpan = 4;   // that one piece may fill where memory is mapped
  static constexpr std::size_t kCell = 7'680;  // bytes, with its head
  static constexpr unsigned kHalf = kCells / 2;
  static_assert(kSpan <= kHalf && kHalf % kMappedSpan == 0);
  // Slots that are no distance, for those of neighbours that have none: which member writes there is settled between the two
  // (coll/drive/edge_slots.hpp). Groups in which every distance has a slot have none of these.
  static constexpr Slot kEdges = 64;
  static constexpr std::size_t kEnvelope = 128;  // bytes, of each cell
  static constexpr std::size_t kShort = 128;     // bytes of a short cell, with its head
  static constexpr std::size_t kRecord = 64;   // bytes in which a member says which collective it is in, for each lane,
  static constexpr std::size_t kProcess = 64;  // and behind these how others read its private memory

  LetterRoom() = default;
  // Behind `begin` bytes and `flags` notifications of others. `nodes`: how many there are; if more than one, members that have the
  // same place on their nodes, a row, have slots of their own among themselves.
  LetterRoom(Rank members, Rank nodes, std::size_t begin, std::uint32_t flags)
      : edges_(members > Slots::kNear + 1 ? kEdges : 0),
        all_(Slots(members).count() + edges_),
        of_row_(nodes > 1 && nodes < members ? Slots(nodes).count() : 0),
        begin_(util::round_up(begin, util::kPage)),
        flags_(flags) {}

  static_assert(kLanes * kRecord + kProcess <= util::kPage);

  // All that is in front of it included.
  std::size_t bytes() const { return cell(kLanes, 0, 0); }
  std::uint32_t notifications() const { return NotificationId(flag(kLanes, 0, 0)); }

  // Of a lane: its slots of all members come first, distances and then edges, then those of its row.
  Slot slots() const { return all_ + of_row_; }
  Slot first_of_row() const { return all_; }
  Slot edges() const { return edges_; }
  Slot first_edge() const { return all_ - edges_; }

  std::uint64_t record(unsigned lane) const { return begin_ + lane * kRecord; }
  std::uint64_t process() const { return record(kLanes); }
  std::uint64_t envelope(unsigned lane, Slot slot, unsigned cell) const {
    return begin_ + util::kPage + place(lane, slot, cell) * kEnvelope;
  }
  std::uint64_t short_cell(unsigned lane, Slot slot, unsigned cell) const {
    return envelope(kLanes, 0, 0) + place(lane, slot, cell) * kShort;
  }
  std::uint64_t cell(unsigned lane, Slot slot, unsigned cell) const {
    return util::round_up(short_cell(kLanes, 0, 0), util::kPage) + place(lane, slot, cell) * kCell;
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

  Slot edges_ = 0, all_ = 0, of_row_ = 0;
  std::size_t begin_ = 0;
  std::uint32_t flags_ = 0;
};

}  // namespace polder::core
