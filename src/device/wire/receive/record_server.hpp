// What the records of a peer ask for, carried out at the target.
#pragma once

#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <span>

namespace polder::device::wire {

class RecordServer {
 public:
  RecordServer(WireState& state, Responder& responder) : state_(state), responder_(responder) {}

  void serve_put(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void serve_flag(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void serve_message(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void serve_get(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void serve_atomic(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  // The peer leaves in good order.
  void take_farewell(Link& link) POLDER_REQUIRES(kWorker);

 private:
  WireState& state_;
  Responder& responder_;
};

}  // namespace polder::device::wire
