// What peers answer to the gets and atomics of this rank, and what they could not carry out.
#pragma once

#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <span>

namespace polder::device::wire {

class AnswerReader {
 public:
  explicit AnswerReader(WireState& state) : state_(state) {}

  void take_data(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void take_old(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void take_failure(Link& link, const Record& record) POLDER_REQUIRES(kWorker);
  // Where so many bytes of what a get has asked for may be written while they come; null: nowhere.
  std::byte* place_of_data(Link& link, const Record& record, std::size_t bytes) POLDER_REQUIRES(kWorker);

 private:
  WireOperation* asked_of(Link& link, const Record& record) POLDER_REQUIRES(kWorker);
  void land(WireOperation& operation, std::byte* to, std::span<const std::byte> data) POLDER_REQUIRES(kWorker);

  WireState& state_;
};

}  // namespace polder::device::wire
