#include "core/direct/update_direct.hpp"

#include "core/direct/accumulate_direct.hpp"
#include "core/direct/atomic_direct.hpp"
#include "util/assert.hpp"

namespace polder::core {

Result<std::uint64_t> update_direct(const Outside& outside, const Progress& progress, const PeerSegment& segment,
                                    std::uint64_t offset, const Update& update, Timeout timeout) {
  POLDER_ASSERT(segment.data != nullptr);
  if (update.kind == Update::Kind::word) {
    POLDER_ASSERT(segment.contains(offset, update.width));  // apply_atomic() asserts the alignment
    return apply_atomic(segment.data + offset, update.op, update.width, update.operand, update.compare);
  }
  DirectAccumulation combined(outside, progress, segment, accumulate_kernel(update.reduction, update.type), update.type,
                              nullptr);
  return combined.fetch(offset, update.operand, timeout);
}

}  // namespace polder::core
