// Windows: long letters to another machine go past the cells, from where they lie to where they go. What reader and writer of one must
// agree about.
//
// A window is a range of offsets, as the device counts them, that stands for the reader's own buffer for one letter: what its writer puts
// there lands in its final place, as in a rendezvous by remote writes, but nothing is registered (Device::open_window).
//
// Through cells a letter is copied twice by its reader, out of the network and out of the cell; and with room for two frames each waits
// for the other. So a reader that waits for a long letter, or has emptied its first cells, opens a window to this writer and says so in
// the credits that it gives from then on. The writer sends the head in a cell, and puts the rest there. What is copied lands where it
// goes, all with the flag of one cell. What is combined comes in chunks, each with the flag of a cell, so that it is combined while the
// next one comes. It lands in memory of 1.9 MB, where a longer letter goes round, and credits bound what is under way.
//
// Between two hosts on a Xeon of 2023 a frame of 120 kB takes its writer 20 us to send, its reader 12 to receive and 6 for each
// copy; a credit takes 6.
#pragma once

#include "coll/letters/lane_wire_state.hpp"
#include "coll/port/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace polder::coll {

struct LetterWindow {
  static constexpr std::size_t kWorthIt = kWindowOfAny;  // bytes of a letter, or left of it
  template <class Letter>
  static bool may_be_for(const Letter& letter) {
    return letter.bytes >= std::min(kWorthIt, letter.window_from);
  }

  // The window of this letter, as the device knows it.
  static std::uint64_t number(const LaneWireState& state, Slot slot, std::uint32_t letter) {
    return (std::uint64_t{state.lane} * state.ground.room().slots() + slot) << 8 | (letter & 0xff);
  }

  // A letter that lies in more is filled into cells and emptied out of them.
  static std::size_t most_runs(std::size_t bytes) {
    constexpr std::size_t kLeastRun = std::size_t{64} << 10, kMost = 16;
    return std::min(kMost, bytes / kLeastRun);
  }

  // Where what is combined lands: one chunk for each place of cells. Shorter letters lie there as they are.
  static constexpr std::size_t kRingChunk = 2 * kLetterFrame,
                               kRingBytes = core::LetterRoom::kCells / core::LetterRoom::kMappedSpan * kRingChunk;
  static constexpr bool lands_in_ring(std::size_t bytes) { return bytes > kRingBytes; }

  // Where the next chunk of what is combined begins.
  template <class Letter>
  static std::size_t landing_place(const Letter& letter, std::uint64_t cells) {
    return lands_in_ring(letter.bytes) ? cells % core::LetterRoom::kCells / Cells::kPlace * kRingChunk : letter.done;
  }

  // Bytes of the next one. Of what is combined it is whole elements, and no more than is combined while the next one comes: each costs a
  // frame, and a reduce of 1 MB in nine of them took 1.17 times as long as in three. Of what goes in steps no more than one of these.
  template <class Letter>
  static std::size_t chunk(const Letter& letter, std::size_t element, bool is_combined) {
    const std::size_t left = letter.bytes - letter.done,
                      most = lands_in_ring(letter.bytes) ? kRingChunk : 2 * kRingChunk;
    const std::size_t whole = element == 0 ? most : most / element * element;
    return std::min({left, letter.step == 0 ? left : letter.step, is_combined ? whole : left});
  }
};

}  // namespace polder::coll
