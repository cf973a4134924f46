// Letters that go over a network from where they lie: until the network has read them they must stay.
#pragma once

#include "coll/letters/lane_wire_state.hpp"

#include <polder/queue.hpp>

#include <memory>

namespace polder::coll {

class SendsInPlace {
 public:
  explicit SendsInPlace(LaneWireState& state) : state_(state) {}

  // That they go over.
  Queue& queue();
  // There may have been some in this call.
  bool are_used() const { return are_used_; }
  // The network has not yet read all of them.
  bool is_any_under_way() const;
  // The call ends: waits until it has, a few seconds at most. A peer that does not take what was sent to it is given up: memory cannot be
  // given back otherwise.
  void withdraw();

 private:
  LaneWireState& state_;
  std::unique_ptr<Queue> queue_;  // made when it is needed
  bool are_used_ = false;
};

}  // namespace polder::coll
