#include "trace/analyse/flows.hpp"

#include <algorithm>

namespace polder::trace {

namespace {

constexpr std::size_t kMostWaiting = 4096;  // of one kind, for one flag or pair
constexpr std::size_t kMostValues = 1 << 17;

FlowEnd::Role role_of(EventKind like) {
  switch (like) {
    case EventKind::wait_some: return FlowEnd::Role::wait;
    case EventKind::reset: return FlowEnd::Role::reset;
    case EventKind::message: return FlowEnd::Role::send;
    case EventKind::handler:
    case EventKind::receive: return FlowEnd::Role::receive;
    default: return FlowEnd::Role::post;
  }
}

// For the arrow's head: the wait, at its end.
FlowEnd pop(std::deque<FlowEnd>& ends) {
  const FlowEnd first = ends.front();
  ends.pop_front();
  return first;
}

}  // namespace

bool flow_end(Rank rank, EventKind like, const Event& event, FlowEnd& end) {
  if (event.outcome != Code::ok) return false;
  const FlowEnd::Role role = role_of(like);
  const bool about_flag =
      event.notification != kNoNotification && (like == EventKind::put_notify || like == EventKind::notify ||
                                                like == EventKind::wait_some || like == EventKind::reset);
  const bool about_message = (like == EventKind::message || like == EventKind::handler || like == EventKind::receive);
  if (!about_flag && !about_message) return false;
  const bool needs_peer = about_message || role == FlowEnd::Role::post;
  if (needs_peer && event.peer == kNoPeer) return false;
  if (role == FlowEnd::Role::reset && event.value == 0) return false;
  const bool starts = role == FlowEnd::Role::post || role == FlowEnd::Role::send;
  // A handler has its message when it begins.
  const bool at_begin = starts || like == EventKind::handler;
  end = {.time_ns = at_begin ? event.begin_ns : event.end_ns,
         .begin_ns = event.begin_ns,
         .end_ns = like == EventKind::handler ? event.begin_ns : event.end_ns,
         .bytes = event.bytes,
         .rank = rank,
         .owner = about_message ? (starts ? rank : event.peer) : (starts ? event.peer : rank),
         .to = starts ? event.peer : rank,
         .segment = event.segment,
         .tag = about_message ? (event.kind >= EventKind::first_door ? 0 : event.value) : event.notification,
         .value = event.value,
         .thread = event.thread,
         .role = role};
  return true;
}

void FlowMatcher::add(const FlowEnd& end) {
  using Role = FlowEnd::Role;
  if (end.role == Role::send || end.role == Role::receive) {
    Pair& pair = pairs_[{end.owner, end.to, end.tag}];
    auto& others = end.role == Role::send ? pair.receives : pair.sends;
    if (end.role == Role::send) drop_those_before(others, end);
    if (others.empty()) return push(end.role == Role::send ? pair.sends : pair.receives, end);
    const FlowEnd other = pop(others);
    return end.role == Role::send ? emit(Flow::What::message, end, other) : emit(Flow::What::message, other, end);
  }
  const FlagKey key{end.owner, end.segment, end.tag};
  Flag& flag = flags_[key];
  if (end.role == Role::wait) return push(flag.waits, end);
  add_to_value(flag, key, end);
}

// What ended before the start began took something that was not recorded, and would lead all that follow astray. A program
// whose flags mean something posts anew only after the reset, so that it is seen between machines, too: where clocks
// may be farther apart than that, nothing is dropped, which would undo a match.
void FlowMatcher::drop_those_before(std::deque<FlowEnd>& ends, const FlowEnd& start) {
  while (!ends.empty() && ends.front().end_ns + apart_(ends.front().rank, start.rank) < start.begin_ns) {
    ends.pop_front();
    ++given_up_;
  }
}

// The n-th post of a value belongs to the n-th reset that took it.
void FlowMatcher::add_to_value(Flag& flag, const FlagKey& key, const FlowEnd& end) {
  using Role = FlowEnd::Role;
  const auto [at, fresh] = flag.values.try_emplace(end.value);
  Value& value = at->second;
  if (fresh) {
    value.number = next_value_++;
    values_.emplace(value.number, std::pair(key, end.value));
  }
  auto& ends = value.ends;
  if (end.role == Role::post && !ends.empty() && ends.front().role == Role::reset) drop_those_before(ends, end);
  if (ends.empty() || ends.front().role == end.role) {
    push(ends, end);
    if (values_.size() > kMostValues) forget_oldest_value();
    return;
  }
  const FlowEnd other = pop(ends);
  // Programs that count use a value once.
  if (ends.empty()) {
    values_.erase(value.number);
    flag.values.erase(at);
  }
  end.role == Role::post ? match(flag, end, other) : match(flag, other, end);
}

void FlowMatcher::forget_oldest_value() {
  const auto [key, number] = values_.begin()->second;
  values_.erase(values_.begin());
  auto& values = flags_.at(key).values;
  const auto found = values.find(number);
  given_up_ += found->second.ends.size();
  values.erase(found);
}

// The first wait that saw the flag between its post and its reset; the reset itself if there was none.
void FlowMatcher::match(Flag& flag, const FlowEnd& post, const FlowEnd& reset) {
  auto& waits = flag.waits;
  while (!waits.empty() && waits.front().end_ns <= post.begin_ns && waits.front().rank == reset.rank) waits.pop_front();
  if (!waits.empty() && waits.front().end_ns <= reset.end_ns) {
    emit(Flow::What::notification, post, waits.front());
    while (!waits.empty() && waits.front().end_ns <= reset.end_ns) waits.pop_front();
  } else {
    emit(Flow::What::notification, post, reset);
  }
}

void FlowMatcher::finish() {
  for (auto& [key, flag] : flags_) {
    std::deque<FlowEnd> posts;
    for (auto& [number, value] : flag.values)
      if (value.ends.front().role == FlowEnd::Role::post)
        posts.insert(posts.end(), value.ends.begin(), value.ends.end());
    std::stable_sort(posts.begin(), posts.end());
    while (!posts.empty() && !flag.waits.empty()) {
      const FlowEnd post = posts.front();
      if (flag.waits.front().end_ns > post.begin_ns) {
        emit(Flow::What::notification, post, flag.waits.front());
        posts.pop_front();
      }
      flag.waits.pop_front();
    }
  }
  flags_.clear();
  values_.clear();
  pairs_.clear();
}

void FlowMatcher::emit(Flow::What what, const FlowEnd& from, const FlowEnd& to) {
  visit_({.what = what,
          .from_thread = from.thread,
          .to_thread = to.thread,
          .from = from.rank,
          .to = to.rank,
          .segment = to.segment,
          .tag = from.tag,
          .sent_ns = from.begin_ns,
          .handed_ns = from.end_ns,
          .awaited_ns = to.begin_ns,
          .received_ns = to.end_ns,
          .bytes = from.bytes});
}

void FlowMatcher::push(std::deque<FlowEnd>& ends, const FlowEnd& end) {
  ends.push_back(end);
  if (ends.size() <= kMostWaiting) return;
  ends.pop_front();
  ++given_up_;
}

}  // namespace polder::trace
