// Looking at and ending processes by what /proc says of them.
#pragma once

#include <set>
#include <string>
#include <utility>
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

// Children that this process had before it started any, as those of a shell that became it: `exec polder run > >(gzip)`. They, and
// what is in a process group of theirs, belong to the user and not to the job.
class Bystanders {
 public:
  static Bystanders here();  // as it is now
  bool include(pid_t pid) const;
  bool empty() const { return children_.empty(); }

 private:
  std::set<std::pair<pid_t, std::string>>
      children_;  // with the time at which they began: another one may have the number
  std::set<pid_t> groups_;
};

// Kills all descendants of this process but those, and waits for them, for at most 10 s. False: some did not end (they hang in
// the kernel).
bool end_descendants(const Bystanders& but);

// A descriptor that becomes readable when process `pid` ends; -1 if it has ended, or the kernel is older than 5.3.
int open_process(pid_t pid);

}  // namespace polder::cli
