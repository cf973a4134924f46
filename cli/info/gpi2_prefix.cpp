#include "build_info.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace polder::cli {
namespace {

namespace fs = std::filesystem;

bool is_prefix(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / "include" / "GASPI.h", ignored);
}

bool has_modules(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / "include" / "gaspi.mod", ignored);
}

// On standard error: scripts take what comes out for the directory.
void say_modules_are_missing() {
  fmt::print(
      stderr,
      "polder info: no Fortran modules (gaspi.mod) are there: Polder was built without a Fortran compiler. Install "
      "one (Debian: gfortran) and build again.\n");
}

}  // namespace

// Looked for beside this executable, wherever the tree was moved: an installed one, then a build folder.
int print_gpi2_prefix() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = (bin / kGpi2Directory).lexically_normal();
  const fs::path built = (bin / ".." / "gpi2").lexically_normal();
  for (const fs::path& directory : {installed, built}) {
    if (!is_prefix(directory)) continue;
    fmt::print("{}\n", directory.string());
    if (!has_modules(directory)) say_modules_are_missing();
    return 0;
  }
  fmt::print(stderr, "polder info: neither {} nor {} has GASPI's files; was the GASPI interface installed?\n",
             installed.string(), built.string());
  return 1;
}

}  // namespace polder::cli
