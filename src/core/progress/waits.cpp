#include "core/progress/waits.hpp"

#include "core/progress/outstanding.hpp"
#include "core/progress/progress.hpp"

#include <string>

namespace polder::core {

Status wait_for(Progress& progress, Ready ready, Trouble trouble, Timeout timeout, Describe describe) {
  return progress.wait(ready, trouble, progress.completions(), timeout, describe);
}

Status wait_for(Progress& progress, Ready ready, Timeout timeout, Describe describe) {
  return progress.wait(ready, timeout, describe);
}

Status wait_for(Progress& progress, Ready ready, Trouble trouble, util::Bell& bell, Timeout timeout,
                Describe describe) {
  return progress.wait(ready, trouble, bell, timeout, describe);
}

Status drain(Progress& progress, Outstanding& which, Timeout timeout, const DrainOwner& owner) {
  if (which.count() == 0) return {};  // nearly always, on one machine: no look at the clock, which takes 25 ns
  const util::Deadline deadline(timeout, progress.clock());
  const auto describe = [&](bootstrap::LongWait& wait) {
    const std::string number = owner.number < 0 ? "" : " " + std::to_string(owner.number);
    wait.say("for the end of " + std::to_string(which.count()) + " operations of " + std::string(owner.what) + number);
  };
  return which.drain([&](const auto& ready) { return progress.wait(ready, deadline.remaining(), describe); });
}

void ring_completions(Progress& progress) {
  progress.completions().ring();
}

void ring_answers(Progress& progress) {
  progress.answers().ring();
}

void wake_helper(Progress& progress) {
  progress.wake_helper();
}

util::Clock clock_of(const Progress& progress) {
  return progress.clock();
}

}  // namespace polder::core
