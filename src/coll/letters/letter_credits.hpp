// What a LaneWire gives back to those whose letters it has read: the right to fill a half of a slot's cells again, a flag in the
// writer's memory. That flag also names the window that is open for the rest of a letter.
#pragma once

#include "coll/letters/lane_wire_state.hpp"
#include "core/post/transfer.hpp"

#include <polder/types.hpp>

#include <cstdint>
#include <vector>

namespace polder::coll {

class LetterCredits {
 public:
  explicit LetterCredits(LaneWireState& state) : state_(state) {}

  // Halves that `in` has read are to be given back.
  void owe(const In& in, ReadSlot& traffic);
  // Those that wait for a letter to this member; `is_followed()`: one follows.
  template <class Predicate>
  void give_late(Rank to, Predicate&& is_followed) {
    if (!late_.empty()) give_all_late(to, is_followed());
  }
  // What is owed of this slot, now.
  void give_now(const In& in, core::Urgency urgency) { release(credit_of(in), urgency); }
  // Says the credit of the half that is filled next once more, which has been given, with the window that is open for `in`.
  void name_window(const In& in, const ReadSlot& traffic);
  // Some found no room.
  bool has_unsent() const { return !owed_.empty(); }
  // These, and those that wait for a letter.
  void settle();
  bool owes(Slot slot) const;

 private:
  // Cells to be given back: of this member's slot, to a slot of the writer's.
  struct Credit {
    Slot slot, there;
    Rank from;
  };
  static Credit credit_of(const In& in) { return {in.slot, in.credit_slot(), in.from}; }
  void give_all_late(Rank to, bool followed);
  void release(const Credit& credit, core::Urgency urgency);
  bool give(const Credit& credit, core::Urgency urgency);
  bool raise(const ReadSlot& traffic, const Credit& credit, unsigned half, std::uint32_t mark, core::Urgency urgency);

  LaneWireState& state_;
  std::vector<Credit> owed_;  // that found no room
  std::vector<Credit> late_;  // that wait for a letter to their member, one of a slot at most
};

}  // namespace polder::coll
