#include "launch/guardian.hpp"

#include "bootstrap/local/attach.hpp"
#include "launch/processes.hpp"
#include "util/shared_memory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;

constexpr int kSweeps = 500;
constexpr useconds_t kGuardPauseUs = 10'000;

std::vector<int> open_descriptors() {
  std::vector<int> result;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr)
    if (entry->d_name[0] != '.') result.push_back(int(std::strtol(entry->d_name, nullptr, 10)));
  return result;
}

// Holds nothing that others wait for the end of: no pipe of the user's, no folder, no group that a terminal signals.
void detach(int lifeline) {
  prctl(PR_SET_NAME, "job-guard");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setpgid(0, 0);
  if (chdir("/") != 0) _exit(1);
  for (int file : open_descriptors())
    if (file != lifeline) close(file);
}

void wait_for_end(int lifeline) {
  char byte;
  while (read(lifeline, &byte, 1) < 0 && errno == EINTR) {
  }
}

void kill_groups(const local::JobPage& page) {
  for (Rank rank = 0; rank < page.size(); ++rank) {
    const local::RankSlot& slot = page.slot(rank);
    const pid_t group = slot.process.load();
    if (group > 1 && slot.reaped.load() == 0) kill(-group, SIGKILL);
  }
}

// A process can be just about to fork, so look until nobody is left.
void sweep(const std::string& assignment) {
  for (int round = 0; round < kSweeps; ++round) {
    const auto found = processes_with_environment(assignment);
    if (found.empty()) return;
    for (pid_t pid : found) kill(pid, SIGKILL);
    usleep(kGuardPauseUs);
  }
}

[[noreturn]] void guard(const local::JobPage& page, const std::string& job, int lifeline) {
  detach(lifeline);
  wait_for_end(lifeline);
  kill_groups(page);
  sweep(std::string(local::kJobVariable) + "=" + job);
  _exit(0);
}

}  // namespace

Result<Guardian> Guardian::start(const std::shared_ptr<local::JobPage>& page, const std::string& job) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return util::system_error("pipe");
  util::Fd read_end(ends[0]);
  util::Fd write_end(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return util::system_error("fork of the guardian");
  if (pid == 0) guard(*page, job, read_end.get());
  return Guardian(pid, std::move(write_end));
}

void Guardian::dismiss() {
  if (pid_ == 0) return;
  // If somebody killed it, it has been reaped, and its id may be another's by now.
  if (waitpid(pid_, nullptr, WNOHANG) == 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = 0;
}

}  // namespace polder::cli
