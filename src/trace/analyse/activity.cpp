#include "trace/analyse/activity.hpp"

namespace polder::trace {

bool is_transfer(Kind like) {
  return like <= Kind::accumulate && like != Kind::none;
}

Activity activity_of(Kind like) {
  if (like >= Kind::barrier && like <= Kind::exscan) return Activity::collective;
  if (is_transfer(like) || like == Kind::message) return Activity::transfer;
  switch (like) {
    case Kind::wait_some:
    case Kind::queue_wait:
    case Kind::fence:
    case Kind::lock:
    case Kind::receive: return Activity::wait;
    case Kind::segment_create:
    case Kind::segment_delete:
    case Kind::group_create:
    case Kind::connect:
    case Kind::disconnect:
    case Kind::runtime: return Activity::setup;
    default: return Activity::other;
  }
}

const char* to_string(Activity activity) {
  constexpr const char* kNames[] = {"compute", "transfer", "wait", "collective", "setup", "other"};
  return kNames[std::size_t(activity)];
}

}  // namespace polder::trace
