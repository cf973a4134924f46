// A machine of one thread and virtual time: fibres stand in for threads, a seed for everything that a machine leaves to
// chance. What runs in it takes the same course whenever it is run with the same seed.
//
//   Fibres machine({.seed = 7});
//   machine.start("a", [&] { ... });            // as many as you like, also from inside a fibre
//   machine.run([&] { return all_done; }, 60'000'000'000);
//
// A fibre runs until it waits: on a word (util/futex.hpp), for a lock (util/mutex.hpp, util/spin_lock.hpp) or in
// yield_core(). These find out by here() that they are called from a fibre. The one to run next is the one whose time
// has come; time jumps to it. How long a fibre that is woken takes to run is drawn from the seed, and so is which of
// two at the same time goes first. Computing takes no time.
//
// A fibre that spins without calling any of these spins forever. Thread: all calls from the one that calls run().
#pragma once

#include "util/clock.hpp"
#include "util/random.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <ucontext.h>

namespace polder::util {

struct FibresOptions {
  std::uint64_t seed = 1;
  std::int64_t begin_ns = 1'000'000'000;  // of its time
  std::int64_t latency_ns = 2'000;        // the longest time from being woken to running, and of a yield
  std::size_t stack_bytes = 512 << 10;    // of a fibre; costs memory only as far as it is used
};

class Fibres final : public VirtualTime {
 public:
  explicit Fibres(const FibresOptions& options);
  // Fibres that have not ended are thrown away as they are: what lies on their stacks is not destroyed.
  ~Fibres();
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;

  // The machine that runs the caller, null outside of any fibre.
  static Fibres* here();

  // Runs fibres until `done()`, which is asked between two of them.
  enum class End : std::uint8_t {
    done,
    stuck,  // all sleep and nothing is there that could wake them
    late,   // what comes next comes after `until_ns`
  };
  End run(const std::function<bool()>& done, std::int64_t until_ns = INT64_MAX);

  // Names of the fibres that have begun and not ended, for people to read.
  std::vector<std::string> living() const;

  // How often a fibre was made to run, and a hash of which and when: equal for two runs that took the same course.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t course() const { return course_; }

  // ---- VirtualTime ----
  std::int64_t now_ns() const override { return now_ns_; }
  std::uint64_t draw() override { return random_.next(); }
  std::shared_ptr<Task> start(std::string name, std::function<void()> body) override;
  void join(Task& task) override;
  // The same, at a time of this machine.
  std::shared_ptr<Task> start_at(std::int64_t when_ns, std::string name, std::function<void()> body);

  // ---- from inside a fibre ----

  // Lets others go first.
  void yield();
  // Until `word` is woken or `nanoseconds` have passed; at once if it does not hold `expected`.
  void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds);
  void sleep(std::int64_t nanoseconds);
  void wake(const std::atomic<std::uint32_t>& word, int count);
  // Tells fibres apart.
  const void* running() const { return running_; }

 private:
  // When a fibre runs next. What is equal in time is told apart by chance.
  struct Turn {
    std::int64_t time_ns = 0;
    std::uint64_t lot = 0;
    Task* task = nullptr;
    bool operator<(const Turn& other) const;
  };
  class Stack;
  friend class VirtualTime::Task;

  std::int64_t latency() { return std::int64_t(random_.below(std::uint64_t(options_.latency_ns))) + 1; }
  void put_in_line(Task& task, std::int64_t time_ns);
  void take_out_of_line(Task& task);
  void call(Task& task);
  void begin(Task& task);
  void leave(bool for_good);
  void stop_listening(Task& task);
  void wake_by_value();
  static void enter();

  const FibresOptions options_;
  Random random_;
  std::int64_t now_ns_;
  std::uint64_t steps_ = 0;
  std::uint64_t course_ = 0;
  std::uint64_t started_ = 0;

  std::vector<std::shared_ptr<Task>> tasks_;  // those that have not ended
  std::set<Turn> line_;
  std::unordered_map<const void*, std::vector<Task*>> asleep_;  // by word
  std::vector<std::unique_ptr<Stack>> free_stacks_;
  Task* running_ = nullptr;

  // Of the thread that called run(), while a fibre runs.
  ucontext_t outside_;
  const void* outside_stack_ = nullptr;
  std::size_t outside_stack_bytes_ = 0;
  void* outside_fake_stack_ = nullptr;
  void* outside_sanitized_ = nullptr;
};

}  // namespace polder::util
