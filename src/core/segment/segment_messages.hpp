// What ranks ask each other about segments where the tables of a peer are not mapped.
#pragma once

#include "core/message/request.hpp"

#include <polder/types.hpp>

#include <cstdint>

namespace polder::core {

// Answered with a SegmentEntry; from then on the owner tells us when the segment ends. invalid_segment: there is none.
struct FindSegment : RequestHead {
  std::uint64_t segment = 0;
};

// Answered when no operation of the peer is under way to the segment of this generation, and none will be.
struct RevokeSegment : RequestHead {
  std::uint64_t segment = 0;
  std::uint64_t generation = 0;
};

}  // namespace polder::core
