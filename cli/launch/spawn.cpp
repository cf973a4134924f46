#include "launch/spawn.hpp"

#include "bootstrap/local/launcher_news.hpp"
#include "util/shared_memory.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;

[[noreturn]] void give_up(const SpawnPlan& plan, Rank rank, int error) {
  [[maybe_unused]] const Status status =
      local::send_news(plan.news, {.kind = local::News::not_started, .rank = rank, .error = error});
  _exit(error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

void redirect(const Streams& streams) {
  if (streams.in >= 0) dup2(streams.in, STDIN_FILENO);
  if (streams.out >= 0) dup2(streams.out, STDOUT_FILENO);
  if (streams.error >= 0) dup2(streams.error, STDERR_FILENO);
}

// A script without a "#!" line is the shell's, as everywhere.
void become_shell_script(const SpawnPlan& plan, char** environment) {
  std::vector<char*> arguments{const_cast<char*>("/bin/sh"), const_cast<char*>(plan.path.c_str())};
  arguments.insert(arguments.end(), plan.arguments.begin() + 1, plan.arguments.end());
  execve("/bin/sh", arguments.data(), environment);
}

[[noreturn]] void become_rank(const SpawnPlan& plan, Rank rank, pid_t launcher, char** environment,
                              const Streams& streams) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(kExitLauncher);  // it died before the kernel knew
  setpgid(0, 0);
  plan.page->slot(rank).process.store(getpid());
  redirect(streams);
  if (!plan.cores.empty() && !plan.cores[rank % plan.cores.size()].apply()) give_up(plan, rank, errno);
  setrlimit(RLIMIT_NOFILE, &plan.descriptors);
  plan.signals->restore_mask();
  execve(plan.path.c_str(), plan.arguments.data(), environment);
  if (errno == ENOEXEC) become_shell_script(plan, environment);
  give_up(plan, rank, errno);
}

}  // namespace

Result<pid_t> spawn(SpawnPlan& plan, Rank rank, const std::string& lifeline, const Streams& streams) {
  char** environment = plan.environment.for_rank(rank, lifeline);
  const pid_t launcher = getpid();
  const pid_t pid = fork();
  if (pid < 0) return util::system_error(("fork of rank " + std::to_string(rank)).c_str());
  if (pid == 0) become_rank(plan, rank, launcher, environment, streams);
  setpgid(pid, pid);  // also here: we may signal the group before the child has come to it
  plan.page->slot(rank).process.store(pid);
  return pid;
}

}  // namespace polder::cli
