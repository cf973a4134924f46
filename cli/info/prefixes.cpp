#include "build_info.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace polder::cli {
namespace {

namespace fs = std::filesystem;

// A folder with the names that builds of existing programs look for, of which `probe` is one. Looked for beside this executable,
// wherever the tree was moved: in an installed one, then in a build folder.
int print_prefix(const fs::path& installed, const fs::path& built, const fs::path& probe, const std::string& what) {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path first = (bin / installed).lexically_normal(), second = (bin / ".." / built).lexically_normal();
  for (const fs::path& directory : {first, second}) {
    if (!fs::exists(directory / probe, error)) continue;
    fmt::print("{}\n", directory.string());
    return 0;
  }
  fmt::print(stderr, "polder info: neither {} nor {} has {}\n", first.string(), second.string(), what);
  return 1;
}

}  // namespace

int print_armci_prefix(const std::string& mpi) {
  return print_prefix(fs::path(kArmciDirectory) / mpi, fs::path("armci") / mpi, "lib/libarmci.a",
                      "ARMCI's files for " + mpi + "; `polder info parts` says how to get them");
}

int print_dart_prefix() {
  return print_prefix(kDartDirectory, "dart", "lib/libdart-polder.so",
                      "DART's files; was the DART interface installed?");
}

}  // namespace polder::cli
