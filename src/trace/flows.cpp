#include "trace/flows.hpp"

#include <algorithm>
#include <tuple>

namespace polder::trace {

namespace {

bool is_post(Kind kind) {
  return kind == Kind::put_notify || kind == Kind::notify;
}

}  // namespace

void FlowMatcher::add(Rank rank, const Event& event) {
  if (event.notification == kNoNotification || event.outcome != Code::ok) return;
  const Moment moment{event.begin_ns, event.end_ns, event.value, rank, event.thread};
  if (is_post(event.kind) && event.peer != kNoPeer)
    flags_[{event.peer, event.segment, event.notification}].posts.push_back(moment);
  else if (event.kind == Kind::wait_some)
    flags_[{rank, event.segment, event.notification}].waits.push_back(moment);
  else if (event.kind == Kind::reset && event.value != 0)
    flags_[{rank, event.segment, event.notification}].resets.push_back(moment);
}

std::vector<Flow> FlowMatcher::match() {
  std::vector<Flow> flows;
  for (auto& [key, life] : flags_) match_flag(life, flows);
  return flows;
}

void FlowMatcher::match_flag(FlagLife& life, std::vector<Flow>& flows) {
  const auto by_end = [](const Moment& a, const Moment& b) { return a.end_ns < b.end_ns; };
  const auto by_value_and_begin = [](const Moment& a, const Moment& b) {
    return std::tie(a.value, a.begin_ns) < std::tie(b.value, b.begin_ns);
  };
  const auto by_value_and_end = [](const Moment& a, const Moment& b) {
    return std::tie(a.value, a.end_ns) < std::tie(b.value, b.end_ns);
  };
  std::sort(life.posts.begin(), life.posts.end(), by_value_and_begin);
  std::sort(life.waits.begin(), life.waits.end(), by_end);
  std::sort(life.resets.begin(), life.resets.end(), by_value_and_end);
  // The n-th post of a value belongs to the n-th reset that took it. Which was first is not asked across ranks: it
  // would undo the match where the clocks of two machines disagree, and a program whose flags mean something posts anew
  // only after the reset.
  for (auto post = life.posts.begin(), reset = life.resets.begin();
       post != life.posts.end() && reset != life.resets.end();) {
    if (post->value < reset->value) {
      ++post;
    } else if (reset->value < post->value) {
      ++reset;
    } else {
      const Moment& end = seen_first(life.waits, *post, *reset);
      flows.push_back({post->rank, post->thread, post->begin_ns, end.rank, end.thread, end.end_ns});
      ++post, ++reset;
    }
  }
}

// The first wait that saw the flag between its post and its reset; the reset itself if there was none.
const FlowMatcher::Moment& FlowMatcher::seen_first(const std::vector<Moment>& waits, const Moment& post,
                                                   const Moment& reset) {
  const auto after_post = std::upper_bound(waits.begin(), waits.end(), post.begin_ns,
                                           [](std::int64_t at, const Moment& wait) { return at < wait.end_ns; });
  return after_post != waits.end() && after_post->end_ns <= reset.end_ns ? *after_post : reset;
}

}  // namespace polder::trace
