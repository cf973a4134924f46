#include "core/progress/continuations.hpp"

#include "core/progress/progress.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <optional>

#include <pthread.h>

namespace polder::core {

Continuations::Continuations(Progress& progress) : progress_(progress) {
  progress.add(*this);
}

Status Continuations::add(std::unique_ptr<Event> event) {
  progress_.start_helper();  // somebody has to look
  const bool is_rung = event->bell() != nullptr;
  {
    std::lock_guard lock(mutex_);
    if (stopped_ || progress_.closed()) return {Code::closed, "the runtime is closed", Died::runtime};
    events_.push_back(std::move(event));
    open_.store(events_.size(), std::memory_order_release);
    if (is_rung && !watcher_.joinable() && !progress_.by_callers())
      watcher_ = util::Thread(progress_.clock(), "polder-watcher", [this] { watch(); });
    // The watcher may sleep on another bell, or for longer than this event allows.
    if (util::Bell* bell = asleep_on_.load()) bell->ring();
  }
  progress_.completions().ring();  // threads that sleep in a call may be the only ones that look
  return {};
}

int Continuations::attend() {
  if (open_.load(std::memory_order_acquire) == 0) return 0;
  return look();
}

// Not only if nobody else is looking: that one may have passed by what has come true since.
int Continuations::look() {
  Due due = take_due_now();
  return run(due);
}

Continuations::Due Continuations::take_due_now() {
  std::lock_guard lock(mutex_);
  return take_due();
}

// REQUIRES: mutex_ is held.
Continuations::Due Continuations::take_due() {
  mutex_.assert_held();
  Due due;
  std::erase_if(events_, [&](std::unique_ptr<Event>& event) {
    Status outcome;
    if (!event->ready()) {
      outcome = event->trouble();
      if (outcome.ok()) return false;
      if (event->ready()) outcome = Status();  // it came true before whoever brought it about was gone
    }
    due.emplace_back(std::move(event), std::move(outcome));
    return true;
  });
  open_.store(events_.size(), std::memory_order_release);
  return due;
}

int Continuations::run(Due& due) {
  if (due.empty()) return 0;
  const void* const me = util::this_thread();
  {
    std::lock_guard lock(mutex_);
    running_.push_back(me);
  }
  for (auto& [event, outcome] : due) event->run(outcome);
  std::lock_guard lock(mutex_);
  running_.erase(std::find(running_.begin(), running_.end(), me));
  return int(due.size());
}

bool Continuations::runs_here() {
  std::lock_guard lock(mutex_);
  return std::find(running_.begin(), running_.end(), util::this_thread()) != running_.end();
}

// ---- the watcher ----

void Continuations::watch() {
  constexpr std::int64_t kNap_ns = 1'000'000, kIdle_ns = 50'000'000;
  while (!stopping_.load(std::memory_order_acquire)) {
    bool alone = true;
    std::optional<util::Bell::Listener> listener;
    {
      std::lock_guard lock(mutex_);
      util::Bell* bell = choose_bell(alone);
      if (bell == nullptr) bell = &idle_;
      listener.emplace(*bell);  // here, so that add() and stop() find somebody to wake
      asleep_on_.store(bell);
    }
    // Events are looked at once more after lying down: one that comes true from now on rings.
    Due due = take_due_now();
    if (due.empty() && !stopping_.load(std::memory_order_acquire)) listener->sleep(alone ? kIdle_ns : kNap_ns);
    listener.reset();
    asleep_on_.store(
        nullptr);  // from now on the bell may go, and a continuation may end its segment: let_go() waits for us
    run(due);
    look();
  }
}

// REQUIRES: mutex_ is held. `alone`: it is the only bell.
util::Bell* Continuations::choose_bell(bool& alone) {
  mutex_.assert_held();
  util::Bell* chosen = nullptr;
  for (const auto& event : events_) {
    util::Bell* bell = event->bell();
    if (bell == nullptr) continue;
    if (chosen == nullptr) chosen = bell;
    alone = alone && bell == chosen;
  }
  return chosen;
}

// Wakes the watcher if it sleeps on `only`, or on any bell if that is null. False: it does not.
bool Continuations::wake(const util::Bell* only) {
  std::lock_guard lock(mutex_);
  util::Bell* bell = asleep_on_.load();
  if (bell == nullptr || (only != nullptr && bell != only)) return false;
  bell->ring();
  return true;
}

void Continuations::let_go(const util::Bell& bell) {
  Due due = take_due_now();
  run(due);
  while (wake(&bell)) util::yield_core();
}

void Continuations::stop() {
  stopping_.store(true, std::memory_order_release);
  Due due;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    for (auto& event : events_) due.emplace_back(std::move(event), Status(Code::closed));
    events_.clear();
    open_.store(0, std::memory_order_release);
  }
  wake(nullptr);
  if (watcher_.joinable()) watcher_.join();
  run(due);
}

}  // namespace polder::core
