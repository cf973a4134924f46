// Says to those who look from outside what a thread waits in, once that takes long. A wait that does not sleep costs a
// branch, one that sleeps for a moment a look at the clock.
#pragma once

#include "bootstrap/standing.hpp"
#include "util/clock.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <cstdint>

namespace polder::core {

// Where a rank shows what it waits in. Callers that wait in slices of a few milliseconds are in one long wait, so it
// remembers the last slice.
struct SeenFromOutside {
  SeenFromOutside(bootstrap::Standing* where, util::Clock by) : standing(where), clock(by) {}

  bootstrap::Standing* const standing;  // null: nobody can see it
  const util::Clock clock;

  util::Mutex mutex;
  bootstrap::LongWait last = {};  // that ran out of time; since_ns: when its first slice began
  std::atomic<std::int64_t> last_ended_ns{0};
};

// A wait of which nothing more is known.
struct Undescribed {
  void operator()(bootstrap::LongWait& wait) const { wait.say("in a call of the runtime"); }
};

class LongWaiting {
 public:
  // ns: from then on a wait is long.
  static constexpr std::int64_t kLong = 20'000'000;

  // A call that only tests waits for nothing.
  LongWaiting(SeenFromOutside& from, Timeout timeout)
      : from_(from), hidden_(from.standing == nullptr || timeout.is_test()) {}

  // Before each sleep.
  template <class Describe>
  void look(const Describe& describe) {
    if (hidden_) return;
    const std::int64_t now = from_.clock.now_ns();
    if (begun_ns_ == 0) begin(now, describe);
    if (now - since_ns_ >= kLong && now - shown_ns_ >= kLong) show(now, described(describe));
  }

  // After the wait, whose outcome it passes on.
  template <class Describe>
  Status end(Status outcome, const Describe& describe) {
    if (begun_ns_ != 0) [[unlikely]] {
      if (outcome.timed_out())
        pause(described(describe));
      else
        withdraw();
    }
    return outcome;
  }

 private:
  template <class Describe>
  void begin(std::int64_t now, const Describe& describe) {
    begun_ns_ = since_ns_ = now;
    if (goes_on(now)) take_up(described(describe));
  }
  template <class Describe>
  bootstrap::LongWait described(const Describe& describe) const {
    bootstrap::LongWait wait;
    wait.since_ns = since_ns_;
    describe(wait);
    return wait;
  }
  bool goes_on(std::int64_t now) const;
  void take_up(const bootstrap::LongWait& wait);
  void show(std::int64_t now, const bootstrap::LongWait& wait);
  void pause(bootstrap::LongWait wait);
  void withdraw();

  SeenFromOutside& from_;
  const bool hidden_;
  bool taken_ = false;
  std::int64_t begun_ns_ = 0;  // first sleep of this call
  std::int64_t since_ns_ = 0;  // of the first of its slices
  std::int64_t shown_ns_ = 0;
};

}  // namespace polder::core
