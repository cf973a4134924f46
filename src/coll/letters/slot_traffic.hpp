// What has gone over a slot, as far as this member has to do with it. Both neighbours are the same for the life of a group, but for slots of
// edges.
#pragma once

#include "coll/lane/scratch.hpp"
#include "core/group/member_memory.hpp"
#include "util/outward_copy.hpp"

#include <polder/queue.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::coll {

// What it has written.
struct WrittenSlot {
  core::MemberMemory to;
  std::uint64_t sent = 0;  // cells filled
  std::uint32_t letters = 0;
  unsigned vain_waits = 0, left_out = 0;  // for windows: how many letters are not to wait, and of these still
  std::unique_ptr<Queue> in_place;        // of what goes from where it lies; made when it is needed
  util::OutwardCopy outward;              // into cells that are mapped
  std::unique_ptr<std::byte[]> staging;   // cells on their way through a device

  // Another member reads the slot from now on.
  void forget() { to = {}, sent = 0, letters = 0; }
};

// What it has read.
struct ReadSlot {
  core::MemberMemory from;
  std::uint64_t taken = 0, credited = 0;  // cells emptied; halves given back
  std::uint32_t letters = 0;
  bool comes_in_envelopes = false;  // as far as something has come;
  bool comes_in_cells = false;      // likewise
  bool owes_late = false;           // a credit of it waits for a letter
  unsigned at_once = 0;             // so many credits do not wait for a letter
  std::uint32_t window = 0;         // that is open for the letter which is read, as credits name it; 0: none
  std::byte* landing = nullptr;     // where what is combined lands, in
  Scratch landing_memory;

  // Another member writes to the slot from now on.
  void forget() { from = {}, taken = credited = 0, letters = 0, comes_in_envelopes = comes_in_cells = false; }
};

}  // namespace polder::coll
