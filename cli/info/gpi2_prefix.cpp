#include "gpi2_directory.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace polder::cli {
namespace {

namespace fs = std::filesystem;

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

int print_gpi2_prefix() {
  const fs::path directory = gpi2_directory();
  if (directory.empty()) {
    const auto candidates = gpi2_candidates();
    fmt::print(stderr, "polder info: neither {} nor {} has GASPI's files; was the GASPI interface installed?\n",
               candidates.front().string(), candidates.back().string());
    return 1;
  }
  fmt::print("{}\n", directory.string());
  if (!has_modules(directory)) say_modules_are_missing();
  return 0;
}

}  // namespace polder::cli
