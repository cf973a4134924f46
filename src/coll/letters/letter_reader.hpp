// How a LaneWire reads letters out of its own cells, and combines what is in them, or what landed past them.
#pragma once

#include "coll/lane/scratch.hpp"
#include "coll/letters/lane_wire_state.hpp"
#include "coll/letters/letter_credits.hpp"
#include "coll/letters/letter_window.hpp"
#include "coll/letters/reader_windows.hpp"

#include <cstddef>
#include <cstdint>

namespace polder::coll {

class LetterReader {
 public:
  LetterReader(LaneWireState& state, LetterCredits& credits, Scratch& scratch)
      : state_(state), credits_(credits), scratch_(scratch) {}

  // In front of what this member sends, which takes its time: writers of long letters wait to hear where they go.
  void look_ahead(In& in) {
    if (in.done == 0 && !in.ended && LetterWindow::may_be_for(in)) offer_window(in);
  }
  // Takes what has come of it. True: what this step is to take of it is there.
  bool pull(In& in);
  // Two vectors of this member. False: the function that combines gave up for now.
  bool fold(const void* one, const void* two, void* result, std::size_t bytes);
  // Once this returns nobody writes to where letters go.
  void withdraw() {
    if (!windows_.all_closed()) [[unlikely]]
      windows_.close_all();
  }
  bool has_withdrawn() const { return windows_.all_closed(); }

 private:
  using Room = core::LetterRoom;

  // The next cell of a slot, once it is filled.
  struct Filled {
    std::uint32_t print = 0;
    CellHead head;
    std::byte* content = nullptr;
    Envelope* envelope = nullptr;  // null: a device has filled it
    bool is_short = false;
  };
  void offer_window(In& in);
  bool find_filled(ReadSlot& traffic, Slot slot, Filled& cell) const;
  bool find_in_envelope(Slot slot, unsigned cell, std::uint32_t expected, Filled& filled) const;
  bool take_cell(In& in, ReadSlot& traffic, const Filled& cell);
  bool take_landed(In& in, ReadSlot& traffic);
  void pass(ReadSlot& traffic, Slot slot, std::uint64_t end);
  void take_down(Slot slot, unsigned cell);
  bool is_ours(const In& in, std::uint32_t print, const CellHead& head);
  bool is_whole(const In& in, unsigned cell, const Filled& filled);
  bool is_assembled(const In& in) const;
  bool empty_cell(In& in, const Filled& cell);
  bool combine(const In& in, std::byte* content, std::size_t bytes);
  void end(In& in, ReadSlot& traffic);
  void owe(In& in, ReadSlot& traffic);

  LaneWireState& state_;
  LetterCredits& credits_;
  Scratch& scratch_;
  ReaderWindows windows_{state_, credits_};
};

}  // namespace polder::coll
