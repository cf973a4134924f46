// Where a member of a group has its flags and boards, as far as another one knows.
#pragma once

#include <polder/types.hpp>

namespace polder::core {

struct PeerSegment;

struct MemberMemory {
  const PeerSegment* segment = nullptr;  // null: not found yet
  SegmentId id = 0;
};

}  // namespace polder::core
