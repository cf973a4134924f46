// Where parts of large transfers belong, so that they land there while they come: a transport that knows the header before the data
// need not keep them, and nobody copies them again.
//
// The place is looked up for each piece that comes, under the device's lock. So memory that is concealed, a window that is closed or
// a get that ends while a part is coming is not touched any more; the part is refused then.
#pragma once

#include "device/wire/receive/answer_reader.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <span>

namespace polder::device::wire {

class LandingPlaces {
 public:
  LandingPlaces(WireState& state, AnswerReader& answers) : state_(state), answers_(answers) {}

  // As TransportEvents has it.
  std::byte* place_of(std::span<const std::byte> head, std::size_t bytes) POLDER_REQUIRES(kWorker);

 private:
  std::byte* place_of_part(Link& link, const Record& record, std::size_t bytes) POLDER_REQUIRES(kWorker);

  WireState& state_;
  AnswerReader& answers_;
};

}  // namespace polder::device::wire
