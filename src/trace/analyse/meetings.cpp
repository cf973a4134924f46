#include "trace/analyse/meetings.hpp"

namespace polder::trace {

namespace {

// What numbers its collectives numbers those of an algorithm at least; 0: the order tells.
std::uint64_t number_of(const Event& event) {
  return event.value == 0 ? 0 : (std::uint64_t{event.queue} + 1) << 32 | event.value;
}

}  // namespace

bool Roll::take(Rank rank, EventKind like, const Event& event, Attendance& attendance) {
  if (!is_meeting(like) || event.phase == Phase::counter) return false;
  const Which which{rank, event.segment, like};
  const std::uint64_t number = number_of(event);
  if (event.outcome == Code::timeout) {
    begun_ns_.try_emplace({which, number}, event.begin_ns);
    return false;
  }
  const auto begun = begun_ns_.extract({which, number});
  if (event.outcome != Code::ok) return false;
  attendance = {.group = event.segment,
                .kind = like,
                .thread = event.thread,
                .number = number != 0 ? number : ++done_[which],
                .rank = rank,
                .root = event.peer,
                .begin_ns = begun.empty() ? event.begin_ns : begun.mapped(),
                .end_ns = event.end_ns,
                .bytes = event.bytes};
  return true;
}

}  // namespace polder::trace
