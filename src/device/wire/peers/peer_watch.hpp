// Which peers are silent, and which are to be given up.
#pragma once

#include "device/wire/peers/greeter.hpp"
#include "device/wire/peers/undertaker.hpp"
#include "device/wire/send/frame_sender.hpp"
#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstdint>

namespace polder::device::wire {

class PeerWatch {
 public:
  PeerWatch(WireState& state, FrameSender& sender, Responder& responder, Greeter& greeter, Undertaker& undertaker)
      : state_(state), sender_(sender), responder_(responder), greeter_(greeter), undertaker_(undertaker) {}

  void on_broken(Link& link, const Endpoint& endpoint, const char* why) POLDER_REQUIRES(kWorker);
  // Ends the links that were given up. Not from inside a call of the transport.
  void mend() POLDER_REQUIRES(kWorker);
  // Looks after all peers where it is time to; mends.
  void tick(std::int64_t now) POLDER_REQUIRES(kWorker);

 private:
  void watch(Link& link, std::int64_t now) POLDER_REQUIRES(kWorker);

  WireState& state_;
  FrameSender& sender_;
  Responder& responder_;
  Greeter& greeter_;
  Undertaker& undertaker_;
  std::int64_t next_tick_ns_ POLDER_GUARDED_BY(kWorker) = 0;
};

}  // namespace polder::device::wire
