// What groups are built from.
#pragma once

#include "util/clock.hpp"

namespace polder::core {

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
