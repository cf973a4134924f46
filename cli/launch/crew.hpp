// The processes of the ranks: starting, finding, signalling and counting them.
#pragma once

#include "bootstrap/local/job_page.hpp"
#include "launch/plumbing.hpp"
#include "launch/spawn.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace polder::cli {

class Crew {
 public:
  explicit Crew(std::shared_ptr<bootstrap::local::JobPage> page) : page_(std::move(page)), ranks_(page_->size()) {}

  // Starts all ranks. On an error those that were started still run.
  Status start(SpawnPlan& plan, Plumbing& plumbing);

  Rank running() const { return Rank(rank_of_.size()); }
  std::vector<Rank> running_ranks() const;

  // Which running rank's process this is, if any.
  std::optional<Rank> rank_of(pid_t pid) const;

  // The process of `rank` has been waited for.
  void reaped(Rank rank, int wait_status);

  // To the whole process group of a running rank, and to the process that attached if a wrapper put it elsewhere.
  void signal(Rank rank, int signal) const;
  void signal_all(int signal) const;

  // Watches the process that attached as `rank`, which is not the one we started. -1: it has ended already, or cannot
  // be watched.
  int watch_attached(Rank rank);
  void attached_ended(Rank rank);

 private:
  struct Process {
    pid_t pid = 0;
    util::Fd lifeline;  // the only write end, held until the launcher ends
    util::Fd attached;  // pidfd of the process behind a wrapper
  };

  Status start_rank(SpawnPlan& plan, Plumbing& plumbing, Rank rank);

  std::shared_ptr<bootstrap::local::JobPage> page_;
  std::vector<Process> ranks_;
  std::unordered_map<pid_t, Rank> rank_of_;  // of those that run
};

// What another process opens to get at our descriptor `file`.
std::string path_of(const util::Fd& file);

}  // namespace polder::cli
