// Meeting a peer. Both ends may begin at the same time; whoever hears a greeting knows the other's session number and
// may send.
#pragma once

#include "device/wire/format/greeting.hpp"
#include "device/wire/network/settings.hpp"
#include "device/wire/peers/strangers.hpp"
#include "device/wire/peers/undertaker.hpp"
#include "device/wire/send/acknowledger.hpp"
#include "device/wire/send/frame_sender.hpp"
#include "device/wire/state/wire_state.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::device::wire {

class Greeter {
 public:
  // The parts of the device that it stands on.
  struct Parts {
    FrameSender& sender;
    Acknowledger& acknowledger;
    Undertaker& undertaker;
    Strangers& strangers;
  };

  // `secret`: of the job. `rma`: whose memory is to be reached.
  Greeter(WireState& state, const Parts& parts, std::uint64_t secret, Rma rma)
      : state_(state), parts_(parts), secret_(secret), rma_(rma) {}

  // Opens the way to that address, unless it is open already, and greets.
  Status reach(Link& link, std::span<const std::byte> address) POLDER_REQUIRES(kWorker);

  // Kept until answer_all(): endpoints must not be opened or closed while the transport is inside. `over`: by whose way it came; null:
  // by none, or unknown.
  void note(std::span<const std::byte> greeting, const Link* over) POLDER_REQUIRES(kWorker);
  bool has_noted() const POLDER_REQUIRES(kWorker) { return !noted_.empty(); }
  void answer_all() POLDER_REQUIRES(kWorker);

  void on_made(Link& link, const Endpoint& endpoint) POLDER_REQUIRES(kWorker);

 private:
  // That came during this turn.
  struct Noted {
    std::vector<std::byte> bytes;
    const Link* over;
    std::uint32_t incarnation;
  };

  void hear(const Heard& heard, const Noted& noted) POLDER_REQUIRES(kWorker);
  void on_hello(Link& link, const Heard& heard, bool came_by_its_way) POLDER_REQUIRES(kWorker);
  void open(Link& link, const Greeting& greeting) POLDER_REQUIRES(kWorker);
  void greet(Link& link, Greeting::Kind kind, std::uint64_t answer_to) POLDER_REQUIRES(kWorker);
  void flow(Link& link) POLDER_REQUIRES(kWorker);

  WireState& state_;
  const Parts parts_;
  const std::uint64_t secret_;
  const Rma rma_;
  std::vector<Noted> noted_ POLDER_GUARDED_BY(kWorker);
};

}  // namespace polder::device::wire
