// Windows that readers have opened to a LaneWire, and what it puts there (coll/letters/letter_window.hpp).
#pragma once

#include "coll/letters/lane_wire_state.hpp"
#include "coll/letters/sends_in_place.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::coll {

class WriterWindows {
 public:
  WriterWindows(LaneWireState& state, SendsInPlace& sends) : state_(state), sends_(sends) {}

  // The reader has opened one for what is left of this letter.
  bool finds(const WrittenSlot& traffic, const Out& out) const;
  // The letter has not begun, and its reader may open one yet.
  bool waits_for(WrittenSlot& traffic, Out& out) {
    return out.bytes >= out.window_from && !out.begun && waits_for_reader(traffic, out);
  }
  // REQUIRES: finds().
  std::size_t next_chunk(const WrittenSlot& traffic, const Out& out) const;
  // False: there was no room, or there is trouble.
  bool put_chunk(WrittenSlot& traffic, Out& out);

 private:
  using Room = core::LetterRoom;

  bool waits_for_reader(WrittenSlot& traffic, Out& out);
  std::uint32_t word(const WrittenSlot& traffic, const Out& out) const;
  static std::vector<std::span<std::byte>> rest_of(const Out& out);

  LaneWireState& state_;
  SendsInPlace& sends_;
};

}  // namespace polder::coll
