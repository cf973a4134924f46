// Long letters between ranks of one machine go without cells: the writer says where they lie, and waits until the reader has copied them
// from there.
//
// The stage of a rendezvous, in the reader's envelope, belongs to both: the writer withdraws what is only offered, and waits for a
// copy that is under way, so that nobody reads its memory once its call has ended.
#pragma once

#include "coll/letters/lane_wire_state.hpp"

#include <atomic>
#include <optional>
#include <vector>

namespace polder::coll {

// Letters that this member has offered and that have not been taken; coll/letters/offered_letter.hpp takes them.
class LetterOffers {
 public:
  explicit LetterOffers(LaneWireState& state) : state_(state) {}

  // Where a letter that has not begun lies, if it is to be offered; nothing: it is to go through cells.
  std::optional<Rendezvous> place_of(const WrittenSlot& traffic, const Out& out) {
    if (!out.may_wait || out.bytes < CopyWays::kLeast) return {};
    return place_of_long(traffic, out);
  }
  // False, always: it has not been taken yet.
  bool offer(WrittenSlot& traffic, Out& out, const Rendezvous& where);
  bool has_been_taken(Out& out);
  bool empty() const { return offers_.empty(); }
  // Once this returns nobody reads them. Waits for copies that are under way, two seconds at most.
  void withdraw();

 private:
  using Room = core::LetterRoom;

  std::optional<Rendezvous> place_of_long(const WrittenSlot& traffic, const Out& out);
  struct Offered {
    std::atomic<RendezvousStage>* stage;
    const core::PeerSegment* reader;
  };

  LaneWireState& state_;
  std::vector<Offered> offers_;
};

}  // namespace polder::coll
