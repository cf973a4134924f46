// Holding an operation back until what it must not overtake is complete.
#pragma once

#include "core/segment/byte_range.hpp"

#include <polder/ordering.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

namespace polder::core {

struct PostParts;
struct Hazards;

// How an operation reaches the memory.
enum class Access {
  put_by_device,
  get_by_device,
  put_by_message,
  get_by_message,
  accumulate,
  atomic_by_device,
  atomic_by_message
};

// Waits for the earlier operations that one of this kind to `range` must come after. timeout: they are still under way,
// and nothing has been posted.
Status wait_for_earlier(PostParts& parts, Hazards& hazards, Access access, const ByteRange& range, Ordering ordering,
                        Timeout timeout);

}  // namespace polder::core
