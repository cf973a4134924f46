#include "launch/report.hpp"

#include "launch/signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace polder::cli {

void report(const std::string& sentence) {
  const std::string line = "polder: " + sentence + "\n";  // one write, so that lines of ranks do not get into it
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

int exit_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string describe_end(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  std::string text = "was killed by " + describe_signal(signal);
  if (WCOREDUMP(wait_status)) text += ", core dumped";
  if (signal == SIGKILL) text += " from outside, perhaps by the kernel for lack of memory";
  return text;
}

}  // namespace polder::cli
