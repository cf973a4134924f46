// Frames going out: numbered, timed, and handed to the transport; in the end taken back from it.
#pragma once

#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::device::wire {

class FrameSender {
 public:
  explicit FrameSender(WireState& state) : state_(state) {}

  // The next frame of the link. `part` lies behind it.
  void transmit(Link& link, Frame& frame, std::span<const std::byte> part) POLDER_REQUIRES(kWorker);
  // A frame without records: it is not counted, so nothing waits for it.
  void acknowledge(Link& link) POLDER_REQUIRES(kWorker);
  void hand_over(Link& link, Packet kind, Frame& frame, std::span<const std::byte> header,
                 std::span<const std::byte> data) POLDER_REQUIRES(kWorker);
  // The transport holds it no longer.
  void on_sent(Frame& frame) POLDER_REQUIRES(kWorker);

 private:
  void write_header(Link& link, Frame& frame, std::uint32_t number) POLDER_REQUIRES(kWorker);

  WireState& state_;
};

}  // namespace polder::device::wire
