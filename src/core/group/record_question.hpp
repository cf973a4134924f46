// What a member asks another one whose record it cannot load.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/message/request.hpp"

#include <polder/status.hpp>

#include <cstdint>

namespace polder::core {

class Question;
struct Peer;

// A record of a member of a group, if it has another number than the one seen last.
struct WantedRecord {
  std::uint64_t tag = 0;
  std::uint64_t seen = 0;
  std::uint64_t incarnation = 0;  // of the group, as far as the asking member knows; 0: not at all
};

// Answered with a record and its number.
struct FindRecord : RequestHead {
  WantedRecord wanted;
};

// Asks a peer for its record. Answered once it has another one than that; invalid_group: it has no such group.
Status ask_record(const GroupPorts& ports, Peer& peer, const WantedRecord& wanted, Question& question);

}  // namespace polder::core
