#include "core/progress/long_waiting.hpp"

#include <mutex>

namespace polder::core {
namespace {

constexpr std::int64_t kBetweenSlices = 5'000'000;  // ns: who comes again within that waits for the same thing

bool is_same(const bootstrap::LongWait& one, const bootstrap::LongWait& other) {
  return one.meeting == other.meeting && one.what == other.what;
}

}  // namespace

bool LongWaiting::goes_on(std::int64_t now) const {
  return now - from_.last_ended_ns.load(std::memory_order_relaxed) < kBetweenSlices;
}

void LongWaiting::take_up(const bootstrap::LongWait& wait) {
  std::lock_guard lock(from_.mutex);
  if (is_same(wait, from_.last)) since_ns_ = from_.last.since_ns;
}

// Another thread may be shown already; it has waited longer.
void LongWaiting::show(std::int64_t now, const bootstrap::LongWait& wait) {
  shown_ns_ = now;
  if (taken_ || (taken_ = from_.standing->take())) from_.standing->show(wait);
}

void LongWaiting::pause(bootstrap::LongWait wait) {
  const std::int64_t now = from_.clock.now_ns();
  from_.standing->count_sleep(now - begun_ns_);
  {
    std::lock_guard lock(from_.mutex);
    from_.last = wait;
    from_.last_ended_ns.store(now, std::memory_order_relaxed);
  }
  wait.paused_ns = now;
  if (taken_) from_.standing->give_back(wait);
}

void LongWaiting::withdraw() {
  from_.standing->count_sleep(from_.clock.now_ns() - begun_ns_);
  // What an earlier slice has shown is over, too.
  if (since_ns_ != begun_ns_ && !taken_) taken_ = from_.standing->take();
  if (taken_) from_.standing->give_back();
}

}  // namespace polder::core
