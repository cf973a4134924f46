// What a file is that another one takes the place of: the end of symbolic links, and who may read and write it. Whoever writes
// files that appear as a whole asks here, be it one process or many ranks.
//
// It includes nothing of Polder, so that applications, which see nothing else of src/, write theirs in the same way.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace polder::util {

// Where symbolic links lead, be it there or not; of what is none, the name itself. A link remains where links form a circle.
inline std::string target_of_links(const std::string& name) {
  namespace fs = std::filesystem;
  constexpr int kMost = 40;  // as the kernel follows
  fs::path path = name;
  std::error_code error;
  for (int links = 0; links < kMost && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path.string();
}

// Permissions to make the successor of the file at `path` with: while it is written it is no wider than what it replaces.
inline mode_t mode_of_successor(const std::string& path) {
  struct stat old {};
  return ::stat(path.c_str(), &old) == 0 ? (old.st_mode & 0666) | 0600 : 0666;
}

// Gives `successor` the owner, group and permissions of the file at `path`, if there is one, where the system lets this process give
// them. Whoever could not read that one cannot read this one.
inline void take_over_access(const std::string& successor, const std::string& path) {
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) return;
  mode_t mode = old.st_mode & 0777;
  (void)!::chown(successor.c_str(), old.st_uid, gid_t(-1));
  if (::chown(successor.c_str(), uid_t(-1), old.st_gid) != 0) mode = (mode & ~mode_t{070}) | (mode & 07) << 3;
  (void)::chmod(successor.c_str(), mode);
}

}  // namespace polder::util
