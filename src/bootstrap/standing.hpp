// Where a rank stands, for those who look from outside: its launcher, `polder top`, and the ranks beside it.
//
// A rank says what it waits in once that takes long, and takes it back when the wait is over; what is short is only
// counted. It lies in shared memory: one thread writes at a time, and readers get one whole text or none (a sequence
// lock: Lamport, Concurrent Reading and Writing, 1977). Ranks of different releases never share it: the page that
// holds it has a version.
#pragma once

#include "util/core_turns.hpp"
#include "util/platform.hpp"

#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace polder::bootstrap {

// What a thread of a rank waits in.
struct LongWait {
  static constexpr std::size_t kNamed = 8;

  std::int64_t since_ns = 0;  // of the job's clock: the machine's monotonic one
  // Callers that wait in slices are between two of them for a moment: then this is when the last one ended. 0: they are
  // in one.
  std::int64_t paused_ns = 0;
  std::uint64_t meeting = 0;  // the same at all who wait in one collective call, and at no others; 0: it is none
  // "in barrier of the world", "for notification 3 of segment 7"; a zero ends it unless it is full.
  std::array<char, 64> what{};
  std::uint32_t missing = 0;        // how many ranks it waits for; 0: that is not known
  std::array<Rank, kNamed> whom{};  // the first of them
  std::uint32_t unused = 0;

  void say(std::string_view text);  // longer ones are cut
  void wait_for(Rank rank);
  std::string text() const;
  std::size_t named() const { return missing < kNamed ? missing : kNamed; }
};

// All zeros is a valid one: a rank that has said nothing.
class Standing {
 public:
  // ---- the rank ----
  // True for one thread, until it gives it back; the others wait unseen.
  bool take();
  // The last thing that is shown; nothing: the wait is over. REQUIRES: the caller has taken it, also for show().
  void give_back(const LongWait& last = {});
  void show(const LongWait& wait);

  // A wait that slept has ended.
  void count_sleep(std::int64_t nanoseconds);
  // Without a locked instruction, which a call of 150 ns would feel: of two threads that end one at the same instant one may count.
  void count_collective() {
    collectives_.store(collectives_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void count_posted(std::uint64_t bytes);
  // Written by the rank's waits.
  util::CoreTurn& turn() { return turn_; }

  // ---- who looks ----
  // Nothing: the rank is in no long wait, or died while it wrote.
  std::optional<LongWait> read(std::int64_t now_ns) const;

  // Since the rank began. Each is right by itself.
  struct Counts {
    std::uint64_t sleeps = 0;       // waits that slept
    std::uint64_t asleep_ns = 0;    // that they took, of all threads together
    std::uint64_t collectives = 0;  // barriers and collective calls that ended
    std::uint64_t posted = 0;       // transfers and messages handed to a device; what is stored directly is not counted
    std::uint64_t posted_bytes = 0;
  };
  Counts counts() const;

 private:
  static constexpr std::size_t kWords = sizeof(LongWait) / sizeof(std::uint64_t);
  using Counter = std::atomic<std::uint64_t>;

  static void add(Counter& counter, std::uint64_t by) { counter.fetch_add(by, std::memory_order_relaxed); }
  void write(const LongWait& wait);

  std::atomic<std::uint32_t> version_{0};  // odd: being written
  std::atomic<std::uint32_t> taken_{0};
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
  alignas(util::kCacheLine) Counter sleeps_{0};
  Counter asleep_ns_{0};
  Counter collectives_{0};
  Counter posted_{0};
  Counter posted_bytes_{0};
  util::CoreTurn turn_;
};

static_assert(sizeof(LongWait) % sizeof(std::uint64_t) == 0);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace polder::bootstrap
