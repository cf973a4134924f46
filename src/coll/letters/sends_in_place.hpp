// What a LaneWire sends over a network from where it lies: until the network has read it, it must stay.
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
  // Some has not been read yet.
  bool are_read() const;
  // Waits until all has been, a few seconds at most. A peer that does not take what was sent to it is given up: memory cannot be given
  // back otherwise.
  void withdraw();

 private:
  LaneWireState& state_;
  std::unique_ptr<Queue> queue_;  // made when it is needed
};

}  // namespace polder::coll
