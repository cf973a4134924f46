#include "bootstrap/gathered/meeting_name.hpp"

#include "bootstrap/gathered/options.hpp"
#include "bootstrap/gathered/process.hpp"
#include "util/random.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

namespace polder::bootstrap::gathered {
namespace {

constexpr int kMostAncestors = 64;  // against a table of processes that changes while it is read

std::string read_process_file(pid_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string program_of(pid_t pid) {
  char path[PATH_MAX];
  const ssize_t bytes = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
  return bytes > 0 ? std::string(path, std::size_t(bytes)) : std::string();
}

// Of the environment with which the process was started; what a shell sets later for its children is not in it.
bool was_started_with(pid_t pid, const std::string& variable) {
  const std::string environment = '\0' + read_process_file(pid, "environ");
  return environment.find('\0' + variable + '=') != std::string::npos;
}

// A subshell is a copy of its shell and has not become another program.
bool is_copy_of_parent(const ProcessInfo& process) {
  const std::string command = read_process_file(process.id.pid, "cmdline");
  return !command.empty() && command == read_process_file(process.parent, "cmdline") &&
         program_of(process.id.pid) == program_of(process.parent);
}

ProcessId who_started_this(const std::string& rank_variable) {
  pid_t pid = getppid();
  for (int i = 0; i < kMostAncestors; ++i) {
    const auto process = look_up_process(pid);
    if (!process) break;
    if (pid <= 1 || (!was_started_with(pid, rank_variable) && !is_copy_of_parent(*process))) return process->id;
    pid = process->parent;
  }
  return {pid, 0};
}

// Ranks whose shell has ended are children of process 1, as many others are. Where the kernel has laid the process out
// is known to its user only: so no other user can guess the name and be there first.
std::string describe(const ProcessId& starter) {
  std::string text = std::to_string(starter.pid) + "." + std::to_string(starter.started) + "." +
                     short_hash(read_process_file(starter.pid, "auxv"));
  if (starter.pid <= 1) text += "." + std::to_string(getsid(0)) + "." + std::to_string(getpgrp());
  return text;
}

}  // namespace

std::string meeting_name(const StartedAs& start) {
  const std::string given = meeting_option();
  const std::string where = given.empty() ? describe(who_started_this(start.rank_variable)) + '\0' +
                                                program_of(getpid()) + '\0' + start.machine_file
                                          : "named " + given;
  return "polder/" + std::to_string(geteuid()) + "/" +
         short_hash(start.rank_variable + '\0' + std::to_string(start.size) + '\0' + where);
}

std::string short_hash(const std::string& text) {
  std::uint64_t one = 1, other = 2;
  for (const char letter : text) {
    one = util::mix(one ^ std::uint64_t(static_cast<unsigned char>(letter)));
    other = util::mix(other + std::uint64_t(static_cast<unsigned char>(letter)));
  }
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(one),
                static_cast<unsigned long long>(other));
  return digits;
}

}  // namespace polder::bootstrap::gathered
