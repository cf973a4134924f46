// A thread that goes on with those collectives of a group that nobody waits for, while the program computes. Where peers
// need a rank's help it has a helper, which goes on with them, too; but that wakes for messages, and not for what other
// members show in shared memory, or a network stores by itself.
//
// To wake it takes microseconds, and it may push the program from its core. So only what is long is begun at once. Of
// others it keeps out unless they stay for a millisecond in which none has ended: then the program does something else.
#pragma once

#include "util/bell.hpp"
#include "util/patience.hpp"
#include "util/thread.hpp"

#include <atomic>
#include <cstdint>

namespace polder::core {
class Progress;
}

namespace polder::coll {

class Attendant {
 public:
  // `bell`: rung for what the collectives of the group wait for.
  Attendant(core::Progress& progress, util::Bell& bell);
  ~Attendant();
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;

  // ---- thread safe ----
  // There is one collective more in the background, or one less. Whoever begins one calls it, too, under no lock of its own.
  void begun(bool at_once);
  void call(bool at_once);
  void ended() {
    ended_.fetch_add(1, std::memory_order_relaxed);
    open_.fetch_sub(1, std::memory_order_seq_cst);
  }

  // As long as it lives a thread of the program waits, and drives what there is. Null: there is no attendant.
  class Away {
   public:
    explicit Away(Attendant* attendant);
    ~Away();
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    Attendant* const attendant_;
  };

 private:
  bool has_work() const {
    return open_.load(std::memory_order_seq_cst) != 0 && away_.load(std::memory_order_seq_cst) == 0;
  }
  bool is_called() const { return stopping_.load(std::memory_order_acquire) || (at_once_.load() && has_work()); }
  void call_if_it_sleeps_long();
  bool nap(util::Bell::Listener& listener);
  void serve();
  void rest();
  void go_on();

  core::Progress& progress_;
  util::Bell& bell_;
  util::Patience patience_;  // its own: a program that computes is a stranger to it
  util::Bell called_;
  std::atomic<unsigned> open_{0}, away_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<bool> at_once_{false};
  std::atomic<bool> sleeps_long_{false};  // until it is called, and not for a nap
  std::atomic<bool> stopping_{false};
  util::Thread thread_;
};

}  // namespace polder::coll
