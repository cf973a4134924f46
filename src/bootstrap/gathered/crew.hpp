// The ranks of one node that share a job page without a launcher, seen by one of them.
#pragma once

#include "bootstrap/gathered/process.hpp"
#include "bootstrap/local/job_page.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace polder::bootstrap::gathered {

struct Crew {
  std::shared_ptr<local::JobPage> page;
  Rank me = 0;
  std::vector<Rank> ranks;  // of this node, upwards, `me` among them

  local::RankSlot& slot(Rank rank) const { return page->slot(rank); }
  ProcessId process(Rank rank) const;
  bool has_ended(Rank rank) const { return slot(rank).pid_ended.load(std::memory_order_acquire) != 0; }

  // The ranks after `me` and then those before it: a ring.
  std::vector<Rank> those_after_me() const;
};

// Notes that the process of `rank` has ended. If it had not left before, that is a failure.
void note_end(const Crew& crew, Rank rank);

// Ends `rank`, as `by` asked.
Status kill_rank(const Crew& crew, Rank by, Rank rank);

// Notes who ends the job and why, and ends it on this node. The first such request of a job counts.
[[noreturn]] void abort_job(const Crew& crew, int code, std::string_view reason);

// For the watcher of a rank that finds an abort request: this process ends as the request says.
[[noreturn]] void follow_abort(const local::AbortRequest& request);

// Finishes what a rank began that died while it ended the job.
[[noreturn]] void complete_abort(const Crew& crew, const local::AbortRequest& request);

}  // namespace polder::bootstrap::gathered
