// Looking at and ending processes by what /proc says of them.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace polder::cli {

// The processes whose parent is this one. With the launcher a subreaper, orphans of its ranks are among them.
std::vector<pid_t> children_of_this_process();

// The processes that were started with `assignment` ("NAME=VALUE") in their environment, as far as this user may see
// them.
std::vector<pid_t> processes_with_environment(const std::string& assignment);

// The different values that the variable `name` has in the environments of processes, as far as this user may see them.
std::vector<std::string> values_in_environments(const std::string& name);

// Kills all descendants of this process and waits for them, for at most 10 s. False: some did not end (they hang in the
// kernel).
bool end_descendants();

// A descriptor that becomes readable when process `pid` ends; -1 if it has ended, or the kernel is older than 5.3.
int open_process(pid_t pid);

}  // namespace polder::cli
