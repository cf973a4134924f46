// A wait for what changes in a segment of this rank, whose memory stays meanwhile although somebody deletes it.
#pragma once

#include "core/segment/peer_segment.hpp"
#include "core/segment/segments.hpp"

namespace polder::core {

class SegmentUse {
 public:
  // REQUIRES: the segment was entered (PeerSegments::enter_own), and is left here.
  SegmentUse(Segments& segments, const PeerSegment& segment) : segments_(segments), segment_(segment) {}
  // The last one out of a segment that was deleted gives its memory back: who deleted it may wait no more.
  ~SegmentUse() {
    if (segment_.leave()) [[unlikely]]
      segments_.attend();
  }
  SegmentUse(const SegmentUse&) = delete;
  SegmentUse& operator=(const SegmentUse&) = delete;

 private:
  Segments& segments_;
  const PeerSegment& segment_;
};

}  // namespace polder::core
