// Read-modify-write on memory that this process can load and store.
#pragma once

#include "core/direct/update.hpp"
#include "core/segment/peer_segment.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>

namespace polder::core {

class Progress;
struct Outside;

// True if update_direct() can do it. Elements are shared with accumulates, whose locks lie in the control.
inline bool is_direct(const PeerSegment& segment, const Update& update) {
  return segment.data != nullptr && (update.kind == Update::Kind::word || segment.control != nullptr);
}

// The old value, zero-extended. Waits only for the locks of elements; timeout: one was held for too long, and nothing
// has changed. REQUIRES: is_direct(), check_update() is success, the word lies inside the segment and is aligned.
Result<std::uint64_t> update_direct(const Outside& outside, const Progress& progress, const PeerSegment& segment,
                                    std::uint64_t offset, const Update& update, Timeout timeout);

}  // namespace polder::core
