// Sends what waits for a link, as far as it may leave.
#pragma once

#include "device/wire/access/access_runner.hpp"
#include "device/wire/access/memory_keys.hpp"
#include "device/wire/schedule/link_schedule.hpp"
#include "device/wire/send/frame_sender.hpp"
#include "device/wire/state/wire_state.hpp"

namespace polder::device::wire {

class LinkPump {
 public:
  LinkPump(WireState& state, LinkSchedule& schedule, FrameSender& sender, AccessRunner& accesses, MemoryKeys& keys)
      : state_(state), schedule_(schedule), sender_(sender), accesses_(accesses), keys_(keys) {}

  void pump(Link& link) POLDER_REQUIRES(kWorker);
  // All links that are marked, and those that are marked meanwhile.
  void pump_dirty() POLDER_REQUIRES(kWorker);

 private:
  void send_steps(Link& link) POLDER_REQUIRES(kWorker);

  WireState& state_;
  LinkSchedule& schedule_;
  FrameSender& sender_;
  AccessRunner& accesses_;
  MemoryKeys& keys_;
};

}  // namespace polder::device::wire
