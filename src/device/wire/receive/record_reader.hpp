// The records of a frame, each handed to the part of the device that carries it out.
#pragma once

#include "device/wire/access/memory_keys.hpp"
#include "device/wire/receive/answer_reader.hpp"
#include "device/wire/receive/record_server.hpp"
#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <span>

namespace polder::device::wire {

class RecordReader {
 public:
  RecordReader(WireState& state, RecordServer& server, AnswerReader& answers, MemoryKeys& keys, Responder& responder)
      : state_(state), server_(server), answers_(answers), keys_(keys), responder_(responder) {}

  // Packed ones. Returns how soon the most urgent one is to be acknowledged.
  Acknowledgement read_all(Link& link, std::span<const std::byte> content) POLDER_REQUIRES(kWorker);
  // A part of a large transfer, what kept it company, and the flag that came with the last one; likewise.
  Acknowledgement read_part(Link& link, std::span<const std::byte> head, std::span<const std::byte> data)
      POLDER_REQUIRES(kWorker);

 private:
  void read(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);

  WireState& state_;
  RecordServer& server_;
  AnswerReader& answers_;
  MemoryKeys& keys_;
  Responder& responder_;
};

}  // namespace polder::device::wire
