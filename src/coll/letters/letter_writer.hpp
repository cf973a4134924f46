// How a LaneWire writes letters: into cells of the reader's memory, stored or posted; or past them, to where they go.
#pragma once

#include "coll/letters/lane_wire_state.hpp"
#include "coll/letters/letter_credits.hpp"
#include "coll/letters/letter_offers.hpp"
#include "coll/letters/sends_in_place.hpp"
#include "coll/letters/writer_windows.hpp"
#include "core/group/letter_room.hpp"
#include "core/post/transfer.hpp"
#include "util/platform.hpp"

#include <polder/queue.hpp>

#include <cstddef>

namespace polder::coll {

class LetterWriter {
 public:
  LetterWriter(LaneWireState& state, LetterCredits& credits) : state_(state), credits_(credits) {}
  ~LetterWriter();
  LetterWriter(const LetterWriter&) = delete;
  LetterWriter& operator=(const LetterWriter&) = delete;

  // Does what can be done of it now. True: its step need not wait for it any longer.
  bool push(Out& out);
  // Once this returns nobody reads letters where they lie; a few seconds at most.
  void withdraw() {
    if (!offers_.empty()) [[unlikely]]
      offers_.withdraw();
    if (in_place_.are_used()) [[unlikely]]
      in_place_.withdraw();
  }
  bool has_withdrawn() const { return offers_.empty() && !in_place_.are_under_way(); }

 private:
  using Room = core::LetterRoom;

  std::size_t piece(unsigned cells) const;
  bool has_room(const WrittenSlot& traffic, Slot slot) const;
  bool fill_cell(WrittenSlot& traffic, Out& out);
  template <class Copy>
  std::size_t write_content(std::byte* place, const Out& out, const CellHead& head, Copy&& copy) const;
  bool store_cell(WrittenSlot& traffic, const Out& out, const CellHead& head);
  bool post_head(WrittenSlot& traffic, Out& out);
  bool post_cell(WrittenSlot& traffic, Out& out, const CellHead& head, core::Urgency urgency);
  bool post_in_place(WrittenSlot& traffic, Out& out, const CellHead& head, const std::byte* content);
  bool post_letter(WrittenSlot& traffic, const Out& out, std::byte* letter, const Shape& shape, bool is_in_short,
                   Queue& queue, core::Urgency urgency);
  std::byte* staged(WrittenSlot& traffic, const CellHead& head);
  bool end(Out& out, WrittenSlot& traffic);

  LaneWireState& state_;
  LetterCredits& credits_;
  LetterOffers offers_{state_};
  SendsInPlace in_place_{state_};
  WriterWindows windows_{state_, in_place_};
  alignas(util::kCacheLine) std::byte warm_[4352];  // a letter that is copied at once
};

}  // namespace polder::coll
