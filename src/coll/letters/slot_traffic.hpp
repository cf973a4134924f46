// What a member has written to and read from a slot. Both neighbours are the same for the life of a group, but for slots of edges.
#pragma once

#include "coll/lane/scratch.hpp"
#include "core/group/member_memory.hpp"
#include "util/outward_copy.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::coll {

struct SlotTraffic {
  std::uint64_t sent = 0, taken = 0, credited = 0;  // cells; halves
  bool comes_in_envelopes = false;                  // as far as something has come;
  bool comes_in_cells = false;                      // likewise
  bool owes_late = false;                           // a credit of it waits for a letter
  unsigned at_once = 0;                             // so many credits do not wait for a letter
  core::MemberMemory to, from;
  std::unique_ptr<std::byte[]> staging;  // cells on their way through a device
  std::uint32_t letters_sent = 0, letters_taken = 0;
  std::uint32_t window = 0;               // that is open for the letter which is read, as credits name it; 0: none
  bool in_place = false;                  // of the letter that is sent some is read where it lies
  unsigned vain_waits = 0, left_out = 0;  // for windows: how many letters are not to wait, and of these still
  Scratch landing_memory;                 // for what lands to be combined:
  std::byte* landing = nullptr;
  util::OutwardCopy outward;  // into cells that are mapped
};

}  // namespace polder::coll
