// What a member offers of its memory to the others of its node.
#pragma once

#include <polder/types.hpp>

#include <cstdint>

namespace polder::coll {

// Memory of a member that others reach for the time of a piece: in a segment, where they load and store, or its private memory, which
// is only copied from, by the kernel, where that proves faster than two copies over a desk (coll/port/copy_ways.hpp).
struct Offer {
  enum Kind : std::uint32_t { nothing, segment, no_bytes, process };
  SegmentId id = 0;
  Kind kind = nothing;
  std::uint64_t at = 0;  // offset in the segment, or address
};

}  // namespace polder::coll
