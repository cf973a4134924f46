// Making progress and waiting: what all parts of core stand on. Whoever waits makes progress meanwhile, where nobody
// else does; a helper thread makes it while the program computes.
//
// Progress knows none of those who need it: they register their duties, and whoever takes the messages registers as
// the sink.
#pragma once

#include "bootstrap/standing.hpp"
#include "core/progress/answer_bells.hpp"
#include "core/progress/arrivals.hpp"
#include "core/progress/background.hpp"
#include "core/progress/long_waiting.hpp"
#include "util/bell.hpp"
#include "util/deadline.hpp"
#include "util/mutex.hpp"
#include "util/thread.hpp"
#include "util/waiting.hpp"

#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace polder::device {
class MessageSink;
}

namespace polder::core {

class Duty;
struct Outside;

// Of a wait that anybody may end, of this node or another one.
struct ComesFromAnywhere {
  bool operator()() const { return false; }
};

struct AsLongAsItTakes {
  std::int64_t operator()() const { return INT64_MAX; }
};

class Progress {
 public:
  Progress(Outside& outside, const util::WaitOptions& how, Helper helper);
  ~Progress() { stop_helper(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // ---- set-up, before anything else ----
  // Takes the messages that a device finds.
  void set_sink(device::MessageSink& sink) { sink_ = &sink; }
  // Called, from any thread, when attention() is true: looks whose health has changed.
  void on_attention(std::function<void()> look) { look_ = std::move(look); }
  // Called by whoever makes progress, in the order of their registration.
  void add(Duty& duty) { duties_.push_back(&duty); }

  // ---- waiting ----
  // Waits until `ready()` holds, making progress meanwhile where nobody else does. `trouble()` may end the wait early.
  // `bell` is rung by whoever makes `ready()` true. Should it take long, `describe(LongWait&)` says what is waited for.
  // `comes_by_network()`, asked before each sleep: nothing but what comes over the network can make `ready()` true next, so the
  // thread may sleep by that instead of being woken by the helper; the bell is heard after a millisecond then.
  // `longest_sleep()`, asked likewise: nanoseconds after which it looks again, for `ready()` may become true without anybody ringing.
  template <class Ready, class Trouble, class Describe = Undescribed, class ComesByNetwork = ComesFromAnywhere,
            class LongestSleep = AsLongAsItTakes>
  Status wait(Ready&& ready, Trouble&& trouble, util::Bell& bell, Timeout timeout, const Describe& describe = {},
              const ComesByNetwork& comes_by_network = {}, const LongestSleep& longest_sleep = {}) {
    Naps naps;
    unsigned sleeps_left = kSleepsByNetwork;
    const auto sleep = [&](Polling& polling, util::Bell::Listener& listener, std::int64_t at_most) {
      const std::int64_t nanoseconds = std::min<std::int64_t>(at_most, longest_sleep());
      if (sleeps_left != 0 && comes_by_network()) {
        const auto slept = sleep_by_network(nanoseconds);
        sleeps_left = slept ? sleeps_left - 1 : 0;
        if (slept) return *slept;
      }
      polling.end();
      return by_callers() ? sleep_alone(naps.next(nanoseconds)) : sleep_on(listener, nanoseconds);
    };
    return wait_with(ready, trouble, bell, sleep, timeout, describe);
  }

  // The same, until the runtime is closed.
  template <class Ready, class Describe = Undescribed>
  Status wait(Ready&& ready, Timeout timeout, const Describe& describe = {}) {
    return wait(
        ready, [this] { return closed_status(); }, completions_, timeout, describe);
  }

  // Likewise for a word of memory, for which nobody need ring: `bell` wakes where notifications and what the helper has
  // served do; stores of ranks of this node are seen after a millisecond at most.
  template <class Ready, class Trouble, class Describe = Undescribed>
  Status wait_for_word(Ready&& ready, Trouble&& trouble, util::Bell& bell, Timeout timeout,
                       const Describe& describe = {}) {
    const Arrivals::Listener rung(arrivals_, bell);
    Naps naps;
    const auto sleep = [&](Polling& polling, util::Bell::Listener& listener, std::int64_t nanoseconds) {
      polling.end();
      const std::int64_t nap = naps.next(nanoseconds);
      return by_callers() ? sleep_alone(nap) : sleep_on(listener, nap);
    };
    return wait_with(ready, trouble, bell, sleep, timeout, describe);
  }

  util::Clock clock() const { return patience_.clock(); }
  util::Patience& patience() { return patience_; }
  const util::Patience& patience() const { return patience_; }
  // Where this rank shows what it waits in, and how much it has done; null: nobody can see it.
  bootstrap::Standing* standing() const { return seen_from_outside_.standing; }
  void count_posted(std::uint64_t bytes) {
    if (standing() != nullptr) standing()->count_posted(bytes);
  }
  util::Bell& completions() { return completions_; }  // of this process: rung when an operation ends
  AnswerBells& answers() { return answers_; }         // rung when an answer of a peer has been stored

  // ---- making progress ----
  // Completes what the device has found, then attends to the duties. Returns how many events it handled.
  int make();
  int attend();
  // Work of modules above core, which waiting threads go on with even where there is no device to look after.
  BackgroundList& background() { return background_; }
  // Something has been served: wakes those who wait for a word.
  void ring_arrivals() { arrivals_.ring(); }

  // Something may need this rank's attention from now on. Idempotent.
  void start_helper();
  void stop_helper();
  // Something was left for whoever sleeps by the network. Once the helper has been stopped nobody does, and the device
  // may be in its destructor, which completes what is still under way.
  void wake_helper();
  // True once messages can matter here: waiting threads then make progress as well.
  bool active() const { return active_.load(std::memory_order_relaxed); }
  // Beside those of the program.
  bool may_have_threads() const { return kind_ != Helper::none; }
  // And nobody else does: there is no helper.
  bool by_callers() const { return by_callers_.load(std::memory_order_relaxed); }

  // ---- attention, and the end ----
  // True if something happened since note_attention(): some rank's health changed, or this runtime was closed. Part of
  // the fast path: two loads.
  bool attention() const { return changes_.load(std::memory_order_relaxed) != seen_.load(std::memory_order_relaxed); }
  // How often the health of anybody has changed, as the job knows it.
  std::uint32_t changes() const { return changes_.load(std::memory_order_acquire); }
  void note_attention() { seen_.store(changes_.load(std::memory_order_acquire), std::memory_order_relaxed); }

  // From now on every call fails with `closed`, and attention() is true for good.
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  Status closed_status() const { return closed() ? Status(Code::closed) : Status(); }

 private:
  static constexpr std::int64_t kDeaf = 1'000'000;  // ns in which a thread does not hear its bell, at most
  // Sleeps by the network in one wait: what takes longer is left to the helper, which need not wake every millisecond.
  static constexpr unsigned kSleepsByNetwork = 1000;

  // Of a thread in one wait that may not hear what it waits for: the longer it has slept, the later it may notice.
  class Naps {
   public:
    std::int64_t next(std::int64_t at_most) {
      const std::int64_t nap = std::min(at_most, next_ns_);
      next_ns_ = std::min<std::int64_t>(2 * next_ns_, 1'000'000);
      return nap;
    }

   private:
    std::int64_t next_ns_ = 50'000;
  };

  // Says to the device that the calling thread polls in a wait, from begin() to end().
  class Polling {
   public:
    explicit Polling(Progress& progress) : progress_(progress) {}
    ~Polling() { end(); }
    Polling(const Polling&) = delete;
    Polling& operator=(const Polling&) = delete;

    void begin() {
      if (is_on_ || !progress_.active()) return;
      is_on_ = true;
      progress_.poll_in_wait(true);
    }
    void end() {
      if (std::exchange(is_on_, false)) progress_.poll_in_wait(false);
    }

   private:
    Progress& progress_;
    bool is_on_ = false;
  };

  // A rank that has a core looks on as long as it finds something in each time of looking: a long transfer comes, and to
  // leave it to the helper halfway and be woken behind it takes up to a fourth of the time of 16 MB between two hosts.
  template <class Ready, class Trouble, class Sleep, class Describe>
  Status wait_with(Ready& ready, Trouble& trouble, util::Bell& bell, const Sleep& sleep, Timeout timeout,
                   const Describe& describe) {
    LongWaiting standing(seen_from_outside_, timeout);
    bool comes = false;
    Polling polling(*this);
    const auto polled = [&] {
      if (active() && make() != 0) comes = true;
      background_.advance();
      if (ready()) return true;
      polling.begin();
      return false;
    };
    const auto checked = [&]() -> Status {
      if (attention()) look_();
      standing.look(describe);
      return trouble();
    };
    const auto look_on_or_sleep = [&](auto&& over, std::int64_t nanoseconds) {
      util::Bell::Listener listener(bell);
      if (over()) return util::Slept::over;
      if (std::exchange(comes, false) && patience_.may_look_on()) return util::Slept::rung;
      return sleep(polling, listener, nanoseconds);
    };
    const Status status = util::wait_asleep(polled, checked, look_on_or_sleep, patience_, timeout);
    polling.end();
    if (!status.ok() && active()) stop_polling();
    return standing.end(status, describe);
  }

  util::Slept sleep_on(util::Bell::Listener& listener, std::int64_t nanoseconds);
  util::Slept sleep_alone(std::int64_t nanoseconds);
  std::optional<util::Slept> sleep_by_network(std::int64_t nanoseconds);
  void poll_in_wait(bool begins);
  void stop_polling();
  void serve(bool polling);
  std::int64_t longest_nap() const;
  int make_traced();

  Outside& outside_;
  const Helper kind_;
  const std::atomic<std::uint32_t>& changes_;  // counts changes of anybody's health, as the job knows it
  std::atomic<std::uint32_t> seen_;
  std::atomic<bool> closed_{false};
  device::MessageSink* sink_ = nullptr;
  std::function<void()> look_;
  std::vector<Duty*> duties_;
  BackgroundList background_;
  util::Patience patience_;
  SeenFromOutside seen_from_outside_;
  util::Bell completions_;
  Arrivals arrivals_;
  AnswerBells answers_{completions_};
  util::Mutex starting_;
  std::atomic<bool> active_{false};
  std::atomic<bool> by_callers_{false};
  std::atomic<bool> stopping_{false};
  util::Thread helper_;
};

}  // namespace polder::core
