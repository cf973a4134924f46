#include "core/post/order.hpp"

#include "core/post/parts.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/hazards.hpp"
#include "core/segment/peer_segments.hpp"

#include <utility>

namespace polder::core {
namespace {

// Which kinds under way an operation must wait for.
struct After {
  bool puts = false, gets = false, messages = false;
};

// Messages to one peer are carried out in the order in which they were sent, so they wait for no messages; nor does
// anything wait for puts where the device keeps them in order.
After must_follow(Access access, Ordering ordering, bool in_order) {
  const bool strict = ordering == Ordering::strict;
  const bool seen = strict && !in_order;
  switch (access) {
    case Access::put_by_device: return {.puts = !in_order, .gets = strict, .messages = strict};
    case Access::get_by_device: return {.puts = seen, .messages = strict};
    case Access::put_by_message: return {.puts = !in_order, .gets = strict};
    case Access::get_by_message: return {.puts = seen};
    case Access::accumulate: return {.puts = seen, .gets = strict};
    case Access::atomic_by_device: return {.puts = seen, .gets = strict, .messages = strict};
    case Access::atomic_by_message: return {.puts = seen, .gets = strict};
  }
  return {};
}

}  // namespace

Status not_posted(Status waited) {
  return waited.timed_out() ? Status(Code::queue_full) : std::move(waited);
}

Status wait_for_earlier(PostParts& parts, const Coming& coming, const util::Deadline& deadline) {
  const Ordering ordering = coming.ordering == Ordering::inherit ? parts.ordering : coming.ordering;
  if (ordering == Ordering::unordered) return {};
  const Rank rank = coming.target.rank;
  if (!coming.was_kept && !parts.ledger.nothing_kept())
    if (Status status = parts.ledger.post_kept_for(rank, deadline.remaining()); !status.ok())
      return not_posted(std::move(status));
  Hazards& hazards = parts.ports.segments.hazards_of(rank, coming.target.segment);
  const After after = must_follow(coming.access, ordering, parts.ports.outside.device->capabilities().in_order);
  const auto pass = [&](bool needed, RangesUnderWay& ranges) -> Status {
    if (!needed || !ranges.may_meet(coming.range)) return {};
    return not_posted(drain(parts.ports.progress, ranges.operations(), deadline.remaining(), {"an overlapping range"}));
  };
  if (Status status = pass(after.puts, hazards.puts); !status.ok()) return status;
  if (Status status = pass(after.gets, hazards.gets); !status.ok()) return status;
  return pass(after.messages, hazards.messages);
}

}  // namespace polder::core
