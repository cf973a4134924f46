#include "device/wire/turns/farewell.hpp"

#include "util/deadline.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

// How long a device that ends tries to get rid of what it has not sent, and waits for peers to hear that it goes: time
// for a packet that was lost once on a slow way. Whoever has not heard of it takes the end for a failure.
constexpr std::int64_t kFarewell_ns = 1'500'000'000;

bool awaits_word(const Link* link) {
  return link->endpoint() != nullptr && !link->window.empty();
}

}  // namespace

void Farewell::say() {
  const auto unsent = [](Link* link) { return link->endpoint() != nullptr && link->has_waiting(); };
  const auto some = [this](const auto& condition) {
    state_.lock.assert_held();
    return std::any_of(state_.links.known().begin(), state_.links.known().end(), condition);
  };
  for (Link* link : state_.links.known())
    if (link->state() == Link::State::open || unsent(link)) take_leave(*link);
  const std::int64_t begin = util::now_ns();
  do {
    if (!state_.packings.empty()) {
      parts_.entrance.leave();
      parts_.copier.copy_all();
      parts_.entrance.enter();
    }
    parts_.pump.pump_dirty();
    state_.transport->progress();
    parts_.watch.mend();
    parts_.greeter.answer_all();
  } while ((state_.sending > 0 || some(unsent) || some(awaits_word)) && util::now_ns() - begin < kFarewell_ns);
}

bool Farewell::is_unheard() const {
  const auto& links = state_.links.known();
  return state_.sending > 0 || std::any_of(links.begin(), links.end(), awaits_word);
}

// Behind everything else.
void Farewell::take_leave(Link& link) {
  util::SpinGuard lock(link.lock);
  link.queues.frame_for(0, state_.frames, false).append({.kind = RecordKind::bye}, {});
  state_.dirty.add(link);
}

void Farewell::close_endpoints() {
  const Status closed(Code::closed, state_.name + ": rank " + std::to_string(state_.rank) + " has closed its device",
                      Died::runtime);
  for (Link* link : state_.links.known()) {
    state_.give_up(*link, closed, true);
    parts_.undertaker.lose(*link, true);
    for (Grave& grave : link->graves) grave.open_ns = 0;  // of links that were lost before
    parts_.undertaker.open_graves(*link, 0);
  }
  // A transport may take its time to confirm, but must not hold up the end of a process.
  const std::int64_t end = util::now_ns() + kFarewell_ns;
  while ((state_.transport->closing() > 0 || state_.sending > 0) && util::now_ns() < end) state_.transport->progress();
}

}  // namespace polder::device::wire
