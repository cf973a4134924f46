#include "trace/analyse/meetings.hpp"

namespace polder::trace {

bool Roll::take(Rank rank, EventKind like, const Event& event, Attendance& attendance) {
  if (!is_meeting(like) || event.phase == Phase::counter) return false;
  Count& count = counts_[{rank, event.segment, like}];
  if (event.outcome == Code::timeout) {
    if (count.begun_ns < 0) count.begun_ns = event.begin_ns;
    return false;
  }
  if (event.outcome != Code::ok) return false;
  attendance = {.group = event.segment,
                .kind = like,
                .thread = event.thread,
                .number = ++count.done,
                .rank = rank,
                .root = event.peer,
                .begin_ns = count.begun_ns >= 0 ? count.begun_ns : event.begin_ns,
                .end_ns = event.end_ns,
                .bytes = event.bytes};
  count.begun_ns = -1;
  return true;
}

}  // namespace polder::trace
