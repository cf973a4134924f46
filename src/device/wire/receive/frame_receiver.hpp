// Frames coming in: from a known sender, fresh, and in the order of their numbers.
#pragma once

#include "device/wire/peers/strangers.hpp"
#include "device/wire/receive/record_reader.hpp"
#include "device/wire/send/acknowledger.hpp"
#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <span>

namespace polder::device::wire {

class FrameReceiver {
 public:
  FrameReceiver(WireState& state, RecordReader& reader, Responder& responder, Acknowledger& acknowledger,
                Strangers& strangers)
      : state_(state), reader_(reader), responder_(responder), acknowledger_(acknowledger), strangers_(strangers) {}

  // As TransportEvents has it.
  void on_frame(std::span<const std::byte> head, std::span<const std::byte> data) POLDER_REQUIRES(kWorker);

 private:
  bool admit(Link& link, const FrameHeader& header) POLDER_REQUIRES(kWorker);
  void arrive(Link& link, const FrameHeader& header, std::span<const std::byte> head, std::span<const std::byte> data)
      POLDER_REQUIRES(kWorker);
  void carry_out(Link& link, const FrameHeader& header, std::span<const std::byte> head,
                 std::span<const std::byte> data) POLDER_REQUIRES(kWorker);
  void take_acknowledgement(Link& link, const FrameHeader& header) POLDER_REQUIRES(kWorker);

  WireState& state_;
  RecordReader& reader_;
  Responder& responder_;
  Acknowledger& acknowledger_;
  Strangers& strangers_;
};

}  // namespace polder::device::wire
