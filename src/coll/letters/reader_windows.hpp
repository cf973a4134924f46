// Windows that a LaneWire opens to those whose long letters it reads (coll/letters/letter_window.hpp).
#pragma once

#include "coll/letters/lane_wire_state.hpp"
#include "coll/letters/letter_credits.hpp"

#include <polder/types.hpp>

namespace polder::coll {

class ReaderWindows {
 public:
  ReaderWindows(LaneWireState& state, LetterCredits& credits) : state_(state), credits_(credits) {}

  // For the rest of a letter of which nothing has come yet, or a piece has just been read. False: there is none.
  bool open(In& in);
  // The reader is here before the letter: its writer need not fill a cell but with the head.
  void offer(In& in);
  void close(ReadSlot& traffic, Slot slot_of_lane);
  void close_all();
  bool all_closed() const { return open_ == 0; }

 private:
  using Room = core::LetterRoom;

  LaneWireState& state_;
  LetterCredits& credits_;
  unsigned open_ = 0;
};

}  // namespace polder::coll
