// Holding an operation back until what it must not overtake is complete.
#pragma once

#include "core/segment/byte_range.hpp"
#include "util/deadline.hpp"

#include <polder/ordering.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

namespace polder::core {

struct PostParts;

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

// An operation that has not been posted.
struct Coming {
  GlobalAddress target;  // the rank and the segment count
  Access access;
  ByteRange range;  // in the segment
  Ordering ordering;
  bool was_kept = false;  // by a handle, and those behind it still are
};

// What a post says whose wait before it began ended like that: a timeout would mean that it is under way.
Status not_posted(Status waited);

// Waits for the earlier operations that it must come after. queue_full: they are still under way, or kept back.
Status wait_for_earlier(PostParts& parts, const Coming& coming, const util::Deadline& deadline);

}  // namespace polder::core
