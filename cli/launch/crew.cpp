#include "launch/crew.hpp"

#include "launch/processes.hpp"
#include "util/shared_memory.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace polder::cli {
namespace {

// The write end of a fresh pipe; ranks open their read end through /proc.
Result<util::Fd> make_lifeline() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return util::system_error("pipe for a lifeline");
  close(ends[0]);
  return util::Fd(ends[1]);
}

}  // namespace

std::string path_of(const util::Fd& file) {
  return fmt::format("/proc/{}/fd/{}", getpid(), file.get());
}

Status Crew::start(SpawnPlan& plan, Plumbing& plumbing) {
  for (Rank rank = 0; rank < page_->size(); ++rank)
    if (Status status = start_rank(plan, plumbing, rank); !status.ok()) return status;
  return {};
}

Status Crew::start_rank(SpawnPlan& plan, Plumbing& plumbing, Rank rank) {
  auto lifeline = make_lifeline();
  if (!lifeline) return lifeline.status();
  auto ends = plumbing.open(rank);
  if (!ends) return ends.status();
  auto pid = spawn(plan, rank, path_of(*lifeline), ends->streams());
  if (!pid) return pid.status();
  ranks_[rank].pid = *pid;
  ranks_[rank].lifeline = *std::move(lifeline);
  rank_of_[*pid] = rank;
  return {};
}

std::vector<Rank> Crew::running_ranks() const {
  std::vector<Rank> result;
  for (const auto& [pid, rank] : rank_of_) result.push_back(rank);
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<Rank> Crew::rank_of(pid_t pid) const {
  const auto found = rank_of_.find(pid);
  return found == rank_of_.end() ? std::nullopt : std::optional(found->second);
}

void Crew::reaped(Rank rank, int wait_status) {
  bootstrap::local::RankSlot& slot = page_->slot(rank);
  slot.wait_status.store(wait_status);
  slot.reaped.store(1);
  slot.bell.ring();  // a rank that had finished can no longer come back
  rank_of_.erase(ranks_[rank].pid);
}

void Crew::attached_ended(Rank rank) {
  ranks_[rank].attached.reset();
  page_->slot(rank).pid_ended.store(1);
  page_->slot(rank).bell.ring();
}

void Crew::signal(Rank rank, int signal) const {
  const Process& process = ranks_[rank];
  if (!rank_of(process.pid)) return;
  kill(-process.pid, signal);
#ifdef SYS_pidfd_send_signal
  if (process.attached && getpgid(page_->slot(rank).pid.load()) != process.pid)
    syscall(SYS_pidfd_send_signal, process.attached.get(), signal, nullptr, 0);
#endif
}

void Crew::signal_all(int number) const {
  for (const auto& [pid, rank] : rank_of_) signal(rank, number);
}

int Crew::watch_attached(Rank rank) {
  ranks_[rank].attached = util::Fd(open_process(page_->slot(rank).pid.load()));
  return ranks_[rank].attached.get();
}

}  // namespace polder::cli
