// How a device ends: peers hear that it goes, and its ways to them are closed.
//
// Peers that hear it know that this rank was not lost, and that it carries nothing out any more. Closing before they
// have heard it would look like a failure.
#pragma once

#include "device/wire/peers/greeter.hpp"
#include "device/wire/peers/peer_watch.hpp"
#include "device/wire/peers/undertaker.hpp"
#include "device/wire/schedule/link_pump.hpp"
#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/entrance.hpp"
#include "device/wire/turns/outside_copier.hpp"

namespace polder::device::wire {

class Farewell {
 public:
  // The parts of the device that it stands on.
  struct Parts {
    LinkPump& pump;
    Undertaker& undertaker;
    Greeter& greeter;
    PeerWatch& watch;
    Entrance& entrance;
    OutsideCopier& copier;
  };

  Farewell(WireState& state, const Parts& parts) : state_(state), parts_(parts) {}

  // Waits for a while until all is sent and heard.
  void say() POLDER_REQUIRES(kWorker);
  // Some peer has not confirmed the end, so the connection to it may not be complete either.
  bool is_unheard() const POLDER_REQUIRES(kWorker);
  // What is still under way ends with `closed`.
  void close_endpoints() POLDER_REQUIRES(kWorker);

 private:
  void take_leave(Link& link) POLDER_REQUIRES(kWorker);

  WireState& state_;
  const Parts parts_;
};

}  // namespace polder::device::wire
