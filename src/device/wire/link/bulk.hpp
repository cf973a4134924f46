// What waits for a link: frames, and large pieces that lie in memory.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "device/wire/link/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace polder::device::wire {

// A large piece on its way: parts of it are sent as the window allows, from where it lies, or the transport writes or
// reads it in the peer's memory.
struct Bulk {
  Record record;                        // of the first part; offsets go up with each part
  std::byte* local = nullptr;           // of a put, only read, or of a get
  std::uint64_t from = 0;               // of an answer to a get: offset in the exposed memory
  std::uint64_t bytes = 0;              // left
  WireOperation* operation = nullptr;   // of a put or a get; null: an answer to one
  bool last = false;                    // the operation's last piece
  bool follows = false;                 // other pieces of the operation are in frames before it
  std::optional<FlagRecord> flag = {};  // goes with the last part

  bool foreign = false;  // pages of its memory may be missing: it is copied with no lock held
  bool claimed = false;  // which some thread is about to do

  enum class Way : std::uint8_t { open, message, access };
  Way way = Way::open;  // by which some of it has gone
};

// What waits to be sent, in order.
struct Waiting {
  Frame* frame = nullptr;  // null: the bulk
  Bulk bulk;
  bool gone = false;    // a bulk of which all is under way already
  bool passed = false;  // others behind it may go first; it waits for the puts up to the next number:
  std::uint64_t behind = 0;
};

}  // namespace polder::device::wire
