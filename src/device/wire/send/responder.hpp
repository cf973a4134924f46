// Answers to peers: in front of what was posted, and what was refused in a frame of its own before all others.
#pragma once

#include "device/wire/send/frame_sender.hpp"
#include "device/wire/state/wire_state.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <span>

namespace polder::device::wire {

class Responder {
 public:
  Responder(WireState& state, FrameSender& sender) : state_(state), sender_(sender) {}

  void respond(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  // What this record asks for cannot be carried out.
  void refuse(Link& link, const Record& record, Code code) POLDER_REQUIRES(kWorker);
  // What was refused of the frame that has just been carried out.
  void tell_refused(Link& link) POLDER_REQUIRES(kWorker);

 private:
  WireState& state_;
  FrameSender& sender_;
  // What was refused of the frame that is being carried out; null: nothing.
  Frame* refused_ POLDER_GUARDED_BY(kWorker) = nullptr;
};

}  // namespace polder::device::wire
