// Letters that go over a network from where they lie: until the network has read them they must stay.
#pragma once

#include "coll/letters/lane_wire_state.hpp"

#include <polder/queue.hpp>

#include <vector>

namespace polder::coll {

class SendsInPlace {
 public:
  explicit SendsInPlace(LaneWireState& state) : state_(state) {}

  // That those of this slot go over.
  Queue& queue(WrittenSlot& slot);
  // The network has not yet read all of them: of a slot, or of any.
  static bool are_under_way(const WrittenSlot& slot) { return left(slot) != 0; }
  bool are_under_way() const { return left() != 0; }
  // There may have been some in this call.
  bool are_used() const { return !used_.empty(); }
  // The call ends: waits until the network has read all. A peer that takes nothing of what was sent to it, while two seconds pass in which
  // no peer does, is given up: memory cannot be given back otherwise.
  void withdraw();

 private:
  static std::uint64_t left(const WrittenSlot& slot);
  std::uint64_t left() const;
  void wait_as_long_as_some_go();

  LaneWireState& state_;
  std::vector<const WrittenSlot*> used_;  // in this call
};

}  // namespace polder::coll
