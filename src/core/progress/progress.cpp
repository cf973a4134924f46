#include "core/progress/progress.hpp"

#include "core/progress/duty.hpp"
#include "core/progress/outside.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace polder::core {
namespace {

// Of all ranks of this node, as far as they can be seen. Nobody shares cores in virtual time.
util::CoreTurns turns_beside(const Outside& outside, util::Clock clock) {
  bootstrap::Standing* const own = outside.bootstrap->standing(outside.rank());
  if (own == nullptr || clock.simulated() != nullptr) return {};
  std::vector<const util::CoreTurn*> others;
  for (Rank rank = 0; rank < outside.size(); ++rank)
    if (bootstrap::Standing* const there = outside.bootstrap->standing(rank); there != nullptr && there != own)
      others.push_back(&there->turn());
  return {own->turn(), std::move(others)};
}

// How long the helper sleeps where something may become possible without a word to anybody.
constexpr std::int64_t kUnannounced = 100'000;  // ns

}  // namespace

Progress::Progress(Outside& outside, const util::WaitOptions& how, Helper helper)
    : outside_(outside),
      kind_(helper),
      changes_(outside.bootstrap->health_changes()),
      seen_(changes_.load()),
      patience_(how, turns_beside(outside, how.clock)),
      seen_from_outside_(outside.bootstrap->standing(outside.rank()), how.clock) {}

int Progress::make() {
  const int events = outside_.device->progress(*sink_) + attend();
  if (events != 0) arrivals_.ring();
  return events;
}

int Progress::attend() {
  int done = 0;
  for (Duty* duty : duties_) done += duty->attend();
  return done + background_.advance();
}

void Progress::close() {
  closed_.store(true, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // see Peers::refresh()
  seen_.store(changes_.load() + 0x80000000u, std::memory_order_release);
}

void Progress::start_helper() {
  std::lock_guard lock(starting_);
  if (active_.load(std::memory_order_relaxed) || stopping_.load(std::memory_order_relaxed)) return;
  by_callers_.store(kind_ == Helper::none, std::memory_order_relaxed);
  if (kind_ != Helper::none)
    helper_ = util::Thread(clock(), "polder-helper", [this] { serve(kind_ == Helper::polling); });
  active_.store(true, std::memory_order_release);
}

void Progress::stop_helper() {
  {
    std::lock_guard lock(starting_);
    stopping_.store(true, std::memory_order_release);
  }
  if (outside_.device == nullptr) return;
  outside_.device->stop_serving();  // first: the helper, too, may wait for a handler in which the caller is
  if (!helper_.joinable()) return;
  outside_.device->wake();
  helper_.join();
}

void Progress::wake_helper() {
  if (!stopping_.load(std::memory_order_acquire)) outside_.device->wake();
}

void Progress::poll_in_wait(bool begins) {
  outside_.device->poll_in_wait(begins);
}

void Progress::stop_polling() {
  outside_.device->stop_polling();
}

// Behind its last look the caller says that it looks no more.
util::Slept Progress::sleep_on(util::Bell::Listener& listener, std::int64_t nanoseconds) {
  if (active()) stop_polling();
  return listener.sleep(nanoseconds) ? util::Slept::rung : util::Slept::on;
}

// Nothing: it is to sleep by its bell, which may have been rung meanwhile.
std::optional<util::Slept> Progress::sleep_by_network(std::int64_t nanoseconds) {
  using device::SleptInWait;
  if (!active() || by_callers()) return {};
  const SleptInWait slept = outside_.device->sleep_in_wait(std::min(nanoseconds, kDeaf));
  if (slept == SleptInWait::not_alone) return {};
  return slept == SleptInWait::woken ? util::Slept::rung : util::Slept::on;
}

// Nobody else hears what comes from the network. A bell that a rank of this node rings meanwhile is not heard.
util::Slept Progress::sleep_alone(std::int64_t nanoseconds) {
  stop_polling();
  outside_.device->wait_alone(nanoseconds);
  return util::Slept::on;
}

// A round of the helper; one that found work is recorded.
int Progress::make_traced() {
  trace::Recorder* const recorder = outside_.recorder();
  if (recorder == nullptr) [[likely]]
    return make();
  const std::int64_t begin = recorder->now();
  const int done = make();
  if (done != 0)
    recorder->record(trace::make_event(trace::EventKind::progress, trace::Phase::span, begin, recorder->now(),
                                       {.bytes = std::uint64_t(done)}));
  return done;
}

std::int64_t Progress::longest_nap() const {
  const std::int64_t slice = patience_.options().slice_ns;
  const bool soon = std::any_of(duties_.begin(), duties_.end(), [](const Duty* duty) { return duty->looks_again(); });
  return soon ? std::min(slice, kUnannounced) : slice;
}

void Progress::serve(bool polling) {
  while (!stopping_.load(std::memory_order_acquire)) {
    if (make_traced() != 0) continue;
    if (attention()) look_();
    // A helper that polls still lets others have the core that it found empty-handed.
    if (polling)
      util::yield_core();
    else
      outside_.device->wait(longest_nap());
  }
}

}  // namespace polder::core
