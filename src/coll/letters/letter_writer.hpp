// How a LaneWire writes letters: into cells of the reader's memory, stored or posted; or past them, to where they go.
#pragma once

#include "coll/letters/lane_wire_state.hpp"
#include "coll/letters/letter_credits.hpp"
#include "coll/letters/letter_offers.hpp"
#include "coll/letters/sends_in_place.hpp"
#include "coll/letters/writer_windows.hpp"
#include "core/post/transfer.hpp"

#include <cstddef>

namespace polder::coll {

class LetterWriter {
 public:
  LetterWriter(LaneWireState& state, LetterCredits& credits) : state_(state), credits_(credits) {}
  ~LetterWriter();
  LetterWriter(const LetterWriter&) = delete;
  LetterWriter& operator=(const LetterWriter&) = delete;

  // Does what can be done of it now. True: what is to go of it in this step is on its way.
  bool push(Out& out);
  // Once this returns nobody reads letters where they lie; a few seconds at most.
  void withdraw() {
    if (!offers_.are_none()) [[unlikely]]
      offers_.withdraw();
    if (in_place_.are_read()) [[unlikely]]
      in_place_.withdraw();
  }
  bool has_withdrawn() const { return offers_.are_none() && !in_place_.are_read(); }

 private:
  using Room = core::LetterRoom;

  std::size_t piece(unsigned cells) const;
  bool has_room(const SlotTraffic& traffic, Slot slot) const;
  bool fill_cell(SlotTraffic& traffic, Out& out);
  template <class Copy>
  std::size_t write_content(std::byte* place, const Out& out, const CellHead& head, Copy&& copy) const;
  bool store_cell(SlotTraffic& traffic, const Out& out, const CellHead& head);
  bool post_head(SlotTraffic& traffic, Out& out);
  bool post_cell(SlotTraffic& traffic, Out& out, const CellHead& head, core::Urgency urgency);
  bool post_in_place(SlotTraffic& traffic, Out& out, const CellHead& head, const std::byte* content);
  bool post_letter(SlotTraffic& traffic, const Out& out, std::byte* letter, const Shape& shape, bool is_in_short,
                   Queue& queue, core::Urgency urgency);
  std::byte* staged(SlotTraffic& traffic, const CellHead& head);
  bool end(Out& out, SlotTraffic& traffic);

  LaneWireState& state_;
  LetterCredits& credits_;
  LetterOffers offers_{state_};
  SendsInPlace in_place_{state_};
  WriterWindows windows_{state_, in_place_};
  alignas(util::kCacheLine) std::byte warm_[4352];  // a letter that is copied at once
};

}  // namespace polder::coll
