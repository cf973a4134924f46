#include "build_info.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace polder::cli {

namespace fs = std::filesystem;

// Looked for beside this executable, wherever the tree was moved: an installed one, then a build folder.
int print_armci_prefix(const std::string& mpi) {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = (bin / kArmciDirectory / mpi).lexically_normal();
  const fs::path built = (bin / ".." / "armci" / mpi).lexically_normal();
  for (const fs::path& directory : {installed, built}) {
    if (!fs::exists(directory / "lib" / "libarmci.a", error)) continue;
    fmt::print("{}\n", directory.string());
    return 0;
  }
  fmt::print(stderr,
             "polder info: neither {} nor {} has ARMCI's files for {}; `polder info parts` says how to get them\n",
             installed.string(), built.string(), mpi);
  return 1;
}

}  // namespace polder::cli
