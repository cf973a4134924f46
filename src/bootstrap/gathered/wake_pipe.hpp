// The pipe by which the other ranks of a node wake a rank's watcher. It has no name: they reach it through /proc.
#pragma once

#include "bootstrap/local/job_page.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>

namespace polder::bootstrap::gathered {

class WakePipe {
 public:
  static Result<WakePipe> create();

  int file() const { return read_end_.get(); }  // readable when somebody woke this rank
  void drain() const;
  void wake_owner() const;

  // From now on wake() finds it; until withdraw().
  void announce(local::RankSlot& slot) const;
  static void withdraw(local::RankSlot& slot) { slot.wake_file.store(0); }
  static bool is_announced(const local::RankSlot& slot) { return slot.wake_file.load() != 0; }

 private:
  util::Fd read_end_, write_end_;
};

// Wakes the watcher of the rank whose slot this is, if it has one.
void wake(const local::RankSlot& slot);

}  // namespace polder::bootstrap::gathered
