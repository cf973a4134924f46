#include "trace/analyse/activity.hpp"

namespace polder::trace {

bool is_transfer(EventKind like) {
  return like <= EventKind::accumulate && like != EventKind::none;
}

Activity activity_of(EventKind like) {
  if (is_collective(like)) return Activity::collective;
  if (is_transfer(like) || like == EventKind::message) return Activity::transfer;
  switch (like) {
    case EventKind::wait_some:
    case EventKind::queue_wait:
    case EventKind::fence:
    case EventKind::lock:
    case EventKind::receive: return Activity::wait;
    case EventKind::segment_create:
    case EventKind::segment_delete:
    case EventKind::group_create:
    case EventKind::connect:
    case EventKind::disconnect:
    case EventKind::runtime: return Activity::setup;
    default: return Activity::other;
  }
}

const char* to_string(Activity activity) {
  constexpr const char* kNames[] = {"compute", "transfer", "wait", "collective", "setup", "other"};
  return kNames[std::size_t(activity)];
}

}  // namespace polder::trace
