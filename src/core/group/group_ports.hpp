// What groups are built from.
#pragma once

#include "util/clock.hpp"

#include <polder/timeout.hpp>

#include <chrono>

namespace polder::core {

// A group that a member has deleted, and this one not, may have been so because another died: who that was is heard by then.
inline constexpr Timeout kGraceOfDeleted = std::chrono::milliseconds(500);

class Departures;
class OneSided;
class PeerSegments;
class Peers;
class Progress;
class Requests;
class Segments;
struct Outside;

struct GroupPorts {
  Outside& outside;
  Progress& progress;
  util::Clock clock;
  Peers& peers;
  Requests& requests;
  PeerSegments& peer_segments;
  Segments& segments;
  OneSided& one_sided;
  Departures& departures;
};

}  // namespace polder::core
