// An operation on its way through the fabric.
#pragma once

#include "device/completion_sink.hpp"
#include "device/device.hpp"
#include "device/region.hpp"
#include "device/sim/delay.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace polder::device::sim {

struct InFlight {
  enum class Kind : std::uint8_t { put, get, put_notify, atomic, message };

  Kind kind = Kind::put;
  Rank source = 0;
  Rank target = 0;
  CompletionSink* completion = nullptr;  // null for messages

  std::uint64_t region = 0;   // handles
  std::uint64_t control = 0;  // of put_notify
  std::vector<Piece> pieces;
  Flag flag;
  AtomicRequest request;
  HandlerId handler = 0;
  std::vector<std::byte> bytes;  // of a message; of a get on its way back; copied pieces of a put
  std::uint64_t old = 0;         // of an atomic on its way back

  // Where it is, and when it gets to the end of that leg.
  Leg leg = Leg::request;
  std::uint64_t number = 0;    // among those from source to target
  std::uint64_t sequence = 0;  // among all of the fabric
  std::int64_t due_ns = 0;
  std::int64_t flag_due_ns = 0;
  bool local_told = false;

  // Its place in a Timeline.
  std::pair<std::int64_t, std::uint64_t> place() const { return {due_ns, sequence}; }

  // The link that it is on now.
  Rank from() const { return leg == Leg::reply ? target : source; }
  Rank to() const { return leg == Leg::reply ? source : target; }
};

const char* to_string(InFlight::Kind kind);

// In the order in which they arrive: by time, and at the same time by the order of posting.
using Timeline = std::map<std::pair<std::int64_t, std::uint64_t>, std::unique_ptr<InFlight>>;

}  // namespace polder::device::sim
