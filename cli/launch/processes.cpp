#include "launch/processes.hpp"

#include "util/deadline.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

namespace polder::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr useconds_t kPauseUs = 1000;

std::string read_file(const std::string& path) {
  std::string content;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return content;
  char buffer[4096];
  for (ssize_t count; (count = read(file, buffer, sizeof buffer)) > 0;) content.append(buffer, std::size_t(count));
  close(file);
  return content;
}

// A word of "pid (name) state ppid ...", counted from the state; empty if the process is gone. The name may hold anything, so they
// count from its end.
std::string word_of(pid_t pid, int number) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  auto at = text.rfind(')');
  for (int word = 0; word <= number && at != std::string::npos; ++word) at = text.find(' ', at + 1);
  if (at == std::string::npos) return "";
  return text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

// The parent of `pid`; 0 if it is gone.
pid_t parent_of(pid_t pid) {
  return pid_t(std::strtol(word_of(pid, 1).c_str(), nullptr, 10));
}

std::string begin_of(pid_t pid) {
  return word_of(pid, 19);
}

template <class Predicate>
std::vector<pid_t> processes_where(Predicate predicate) {
  std::vector<pid_t> result;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return result;
  while (const dirent* entry = readdir(folder.get())) {
    const auto pid = pid_t(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 0 && predicate(pid)) result.push_back(pid);
  }
  return result;
}

bool holds_string(std::string_view block, std::string_view wanted) {
  while (!block.empty()) {
    const std::string_view entry = block.substr(0, block.find('\0'));
    if (entry == wanted) return true;
    block.remove_prefix(std::min(entry.size() + 1, block.size()));
  }
  return false;
}

}  // namespace

std::vector<pid_t> children_of_this_process() {
  return processes_where([self = getpid()](pid_t pid) { return parent_of(pid) == self; });
}

std::vector<pid_t> processes_with_environment(const std::string& assignment) {
  return processes_where([&](pid_t pid) {
    return pid != getpid() && holds_string(read_file("/proc/" + std::to_string(pid) + "/environ"), assignment);
  });
}

std::vector<std::string> values_in_environments(const std::string& name) {
  std::set<std::string> values;
  processes_where([&](pid_t pid) {
    const std::string block = read_file("/proc/" + std::to_string(pid) + "/environ");
    for (std::size_t at = 0; at < block.size();) {
      const std::string entry(block.c_str() + at);  // to the next zero
      if (entry.starts_with(name + "=")) values.insert(entry.substr(name.size() + 1));
      at += entry.size() + 1;
    }
    return false;
  });
  return {values.begin(), values.end()};
}

Bystanders Bystanders::here() {
  Bystanders result;
  for (const pid_t pid : children_of_this_process()) {
    result.children_.emplace(pid, begin_of(pid));
    if (const pid_t group = getpgid(pid); group > 0) result.groups_.insert(group);
  }
  return result;
}

bool Bystanders::include(pid_t pid) const {
  return groups_.contains(getpgid(pid)) || (!children_.empty() && children_.contains({pid, begin_of(pid)}));
}

bool end_descendants(const Bystanders& but) {
  const util::Deadline deadline(kPatience);
  while (!deadline.passed()) {
    pid_t ended;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return true;
    // Children of those we kill become ours and are found in the next round.
    std::vector<pid_t> left = children_of_this_process();
    std::erase_if(left, [&](pid_t pid) { return but.include(pid); });
    if (left.empty() && !but.empty()) return true;
    for (pid_t pid : left) kill(pid, SIGKILL);
    usleep(kPauseUs);
  }
  return false;
}

int open_process(pid_t pid) {
#ifdef SYS_pidfd_open
  return int(syscall(SYS_pidfd_open, pid, 0));
#else
  return -1;
#endif
}

}  // namespace polder::cli
