// One-sided operations as they travel by message: a fixed head, then
//
//   put, accumulate of one piece     data
//   get, update                      nothing
//   of many pieces                   data (put, accumulate), then the runs that say where it goes (packing.hpp)
//
// The reply brings the data of a get, or the old value of an update.
#pragma once

#include "core/direct/update.hpp"
#include "core/emulate/packing.hpp"
#include "core/message/request.hpp"

#include <polder/accumulate.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::core {

enum class OneSidedKind : std::uint8_t { put, get, update, accumulate };

// Enumerations travel as integers: what comes from a peer is none before it has been checked.
struct OneSidedHead : RequestHead {
  std::uint8_t kind = 0;      // a OneSidedKind
  std::uint8_t has_flag = 0;  // 1: `flag` goes up behind the data of a put
  std::uint8_t update = 0;    // an Update::Kind
  std::uint8_t atomic = 0;    // an AtomicOp
  std::uint8_t width = 0;     // of an update, in bytes
  std::uint8_t reduction = 0;
  std::uint8_t type = 0;     // a DataType
  std::uint8_t flag_op = 0;  // a NotificationOp
  SegmentId segment = 0;
  std::uint64_t generation = 0;  // of the segment
  std::uint64_t offset = 0;      // of one piece
  std::uint64_t bytes = 0;       // of all pieces
  std::uint64_t operand = 0;     // of an update
  std::uint64_t compare = 0;     // of an update
  std::uint32_t runs = 0;        // not 0: many pieces
  std::uint32_t unused = 0;
  NotificationId flag_id = 0;
  NotificationValue flag_value = 0;
  std::uint64_t flag_segment = 0;
  std::uint64_t flag_generation = 0;  // of that segment
  std::byte scale[16] = {};           // of an axpy
};

// A request that makes sense in itself. Whether it fits the segment remains to be seen.
struct OneSidedRequest {
  OneSidedKind kind = OneSidedKind::put;
  Update update;
  Accumulation how;  // its scale lies in `head`
  OneSidedHead head;
  std::span<const std::byte> data;
  std::span<const std::byte> runs;  // empty: one piece
};

// invalid_size, invalid_argument, invalid_alignment, invalid_notification: it makes none. `largest`: bytes that a reply
// can bring. REQUIRES: `request` stays where it is while it is used.
Status decode_one_sided(std::span<const std::byte> message, std::uint64_t largest, OneSidedRequest& request);

}  // namespace polder::core
